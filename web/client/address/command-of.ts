import { parseSearch } from './search-params.js';

/** As a shell takes it for one word. */
const word = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
const all = (value: string | string[] | undefined): string[] => (value === undefined ? [] : [value].flat());

/** What the leaderboard's address and the command both take, and how the command spells it. */
const LEADERBOARD = {
  values: {
    comparison: 'comparison',
    metric: 'metric',
    order: 'order',
    suite: 'suite',
    batch: 'batch',
    k: 'k',
    mode: 'mode',
  },
  lists: { models: 'models', tasks: 'tasks' },
  flags: {
    includeSuspect: 'include-suspect',
    includeScripted: 'include-scripted',
    includeLocal: 'include-local',
    includeImported: 'include-imported',
    sample: 'sample',
  },
} as const;

/** The command line that shows what an address of the page shows, as near as there is one. */
export function commandOf({ pathname, search }: { pathname: string; search: string }): string {
  const params = parseSearch(search);
  const one = (name: string): string | undefined => first(params[name]);
  const [page = '', rest] = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const words: string[] = ['bench'];
  const option = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') words.push(`--${name}`, word(value));
  };
  if (page === 'batches') words.push(...(rest === undefined ? ['batches'] : ['status', word(rest)]));
  else if (page === 'runs' && rest !== undefined) {
    const step = one('step');
    if (one('tab') === 'prompt') words.push('prompt', word(rest), word(step ?? '1'));
    else if (one('tab') === 'tree') words.push('search-tree', word(rest));
    else if (one('tab') === 'events') words.push('events', word(rest));
    else if (one('tab') === 'setup' || one('tab') === 'scores') words.push('show', word(rest));
    else if (step === undefined) words.push('logs', word(rest));
    else words.push('trajectory', word(rest), '--from', word(step));
  } else if (page === 'runs') {
    words.push('runs', ...all(params['batch']).slice(0, 1).map(word));
    option('models', all(params['model']).join(','));
    option('tasks', all(params['task']).join(','));
    option('status', one('status'));
    option('end-reason', one('endReason'));
  } else if (page === 'leaderboard') {
    words.push('leaderboard');
    for (const [name, spelt] of Object.entries(LEADERBOARD.values)) option(spelt, one(name));
    for (const [name, spelt] of Object.entries(LEADERBOARD.lists)) option(spelt, all(params[name]).join(','));
    for (const [name, spelt] of Object.entries(LEADERBOARD.flags)) if (one(name) === 'true') words.push(`--${spelt}`);
  } else if (page === 'compare')
    words.push(
      'show',
      ...all(params['runs'])
        .flatMap((runs) => runs.split(','))
        .slice(0, 1)
        .map(word),
    );
  else if (page === 'ops') words.push('hosts', 'list');
  else if (page === 'sql') words.push('sql', word(one('q') ?? 'select * from run_scores'));
  else if (page === 'episodes') {
    words.push('episodes', 'list', ...all(params['batch']).slice(0, 1).map(word));
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
    // A text that looks like an option is none.
    words.push(...(q.startsWith('-') ? ['--'] : []), word(q));
  } else if (page === 'integrity') words.push('sql', word('select * from integrity_marks'));
  else if (page === 'tasks') words.push('tasks', ...(rest === undefined ? ['list'] : ['show', word(rest)]));
  else if (page === 'models' || page === 'agents') words.push(page, 'list');
  else words.push('status');
  return words.join(' ');
}
