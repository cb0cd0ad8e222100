import { parseSearch } from './search-params.js';
import { shellWord } from '../../../domain/text/shell-word.js';

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
const all = (value: string | string[] | undefined): string[] => (value === undefined ? [] : [value].flat());

/** Parameters of both the leaderboard's address and the command, in the command's spelling. */
const LEADERBOARD = {
  values: {
    view: 'view',
    metric: 'metric',
    suite: 'suite',
    batch: 'batch',
    mode: 'mode',
  },
  lists: { models: 'models', tasks: 'tasks', include: 'include' },
  flags: { sample: 'sample' },
} as const;

/** The command that shows the same as the page, or nearly. */
export function commandOf({ pathname, search }: { pathname: string; search: string }): string {
  const params = parseSearch(search);
  const one = (name: string): string | undefined => first(params[name]);
  const [page = '', rest] = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const words: string[] = ['bench'];
  const sides = [...all(params['batches']), ...all(params['models'])];
  const option = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') words.push(`--${name}`, shellWord(value));
  };
  if (page === 'batches') words.push(...(rest === undefined ? ['batches'] : ['status', shellWord(rest)]));
  else if (page === 'runs' && rest !== undefined) {
    const step = one('step');
    if (one('tab') === 'prompt') words.push('prompt', shellWord(rest), shellWord(step ?? '1'));
    else if (one('tab') === 'tree') words.push('tree', shellWord(rest));
    else if (one('tab') === 'events') words.push('events', shellWord(rest));
    else if (one('tab') === 'setup' || one('tab') === 'scores') words.push('show', shellWord(rest));
    else if (step === undefined) words.push('logs', shellWord(rest));
    else words.push('trajectory', shellWord(rest), '--from', shellWord(step));
  } else if (page === 'runs') {
    words.push('runs', ...all(params['batch']).slice(0, 1).map(shellWord));
    option('models', all(params['model']).join(','));
    option('tasks', all(params['task']).join(','));
    option('status', one('status'));
    option('end-reason', one('endReason'));
  } else if (page === 'leaderboard') {
    words.push('leaderboard');
    for (const [name, spelt] of Object.entries(LEADERBOARD.values)) option(spelt, one(name));
    for (const [name, spelt] of Object.entries(LEADERBOARD.lists)) option(spelt, all(params[name]).join(','));
    for (const [name, spelt] of Object.entries(LEADERBOARD.flags)) if (one(name) === 'true') words.push(`--${spelt}`);
  } else if (page === 'compare' && sides.length === 2) words.push('compare', ...sides.map(shellWord));
  else if (page === 'compare')
    words.push(
      'show',
      ...all(params['runs'])
        .flatMap((runs) => runs.split(','))
        .slice(0, 1)
        .map(shellWord),
    );
  else if (page === 'ops') words.push('hosts', 'list');
  else if (page === 'sql') words.push('sql', shellWord(one('q') ?? 'select * from run_scores'));
  else if (page === 'episodes') {
    words.push('episodes', 'list', ...all(params['batch']).slice(0, 1).map(shellWord));
    option('group', one('group'));
    option('policy-version', one('policyVersion'));
    option('state', one('state'));
  } else if (page === 'search') {
    words.push('search');
    option('batch', all(params['batch']).join(','));
    option('models', all(params['model']).join(','));
    option('tasks', all(params['task']).join(','));
    option('run', one('run'));
    option('in', all(params['in']).join(','));
    const q = one('q') ?? '';
    // After `--`, a text like an option is none.
    words.push(...(q.startsWith('-') ? ['--'] : []), shellWord(q));
  } else if (page === 'integrity') {
    const rule = all(params['rule']);
    if (rule.length === 1) words.push('runs', '--flag', shellWord(rule[0]!));
    else words.push('sql', shellWord('select * from integrity_flags'));
  } else if (page === 'tasks') words.push('tasks', ...(rest === undefined ? ['list'] : ['show', shellWord(rest)]));
  else if (page === 'models' || page === 'agents') words.push(page, 'list');
  else words.push('status');
  return words.join(' ');
}
