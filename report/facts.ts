import { ORDER_TITLES } from '../domain/results/leaderboard-order.js';
import { DEFAULT_PROFILE } from '../domain/task/profile.js';
import { fixed, plural, time } from './numbers.js';
import type { ReportData } from './report-data.js';

type Saved = NonNullable<ReportData['board']['comparison']['saved']>;

/** What was compared, when and by which rules. */
export function facts({
  board,
  subject,
  generatedAt,
  harnessVersion,
  runs,
}: ReportData): [name: string, value: string][] {
  const { comparison, tasks, baseline } = board;
  const { saved, T, k } = comparison;
  const included = [
    ...(comparison.includeSuspect ? ['suspect scores'] : []),
    ...(comparison.includeLocal ? ['runs without isolation'] : []),
    ...(comparison.includeImported ? ['imported runs'] : []),
    ...(comparison.includeScripted ? ['scripted agents, replays and external players'] : []),
  ];
  const compared = tasks.filter((task) => task.compared).length;
  const all: [name: string, value: string | null][] = [
    ['compared', subject],
    ['models', plural(board.rows.length, 'row')],
    ['tasks', `${tasks.length}${compared < tasks.length ? `, ${compared} of them compared` : ''}`],
    [
      'runs',
      `${plural(runs.length, 'run')}; ${k === null ? 'all that the agent itself ended count' : `the first ${k} of each model and task count`}`,
    ],
    [
      'mode',
      comparison.mode === 'strict'
        ? 'strict: suspect scores do not count, failures are never feasible'
        : 'compat: as MLGym-Bench computes it',
    ],
    ['data', comparison.sample ? 'samples: these scores say nothing about the real tasks' : null],
    ['profile', comparison.profile === DEFAULT_PROFILE ? null : `${comparison.profile}: not the tasks' own budgets`],
    ...comparison.otherProfiles.map(({ profile, runs }): [string, string] => [
      `omitted, profile ${profile}`,
      plural(runs, 'run'),
    ]),
    [
      'ordered by',
      `${ORDER_TITLES[comparison.order]} of ${comparison.metric === 'best-submission' ? 'best submissions' : 'best attempts'}`,
    ],
    ['included on request', listed(included)],
    [
      'T',
      T === null
        ? null
        : `${Number(T.toPrecision(6))} (a factor of ${fixed(10 ** T, 1)} to the best)${comparison.fixedT ? ', fixed' : ', from these data'}`,
    ],
    [
      'AUP of the baselines',
      baseline === null ? null : `${fixed(baseline.bestAup, 3)} (best), ${fixed(baseline.lastAup, 3)} (last)`,
    ],
    [
      'intervals',
      comparison.resamples === 0 ? null : `95 %, ${comparison.resamples} resamples, seed ${comparison.seed}`,
    ],
    ...(saved === null ? [] : savedFacts(saved)),
    ['made', `${time(generatedAt)}, bench ${harnessVersion}`],
  ];
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}

const listed = (names: readonly string[]): string | null => (names.length === 0 ? null : names.join(', '));

/** What a saved comparison leaves out, and what has changed since. */
function savedFacts(saved: Saved): [name: string, value: string | null][] {
  return [
    ['comparison saved', time(saved.createdAt)],
    ['models that it omits', listed(saved.otherModels)],
    [
      'runs of other contracts that it omits',
      listed(
        saved.otherContracts.map(
          ({ task, contract, runs }) => `${plural(runs, 'run')} of ${task} (contract ${contract})`,
        ),
      ),
    ],
    [
      'baselines that have changed since (the comparison keeps the saved ones)',
      listed(saved.changedBaselines.map(({ task }) => task)),
    ],
  ];
}
