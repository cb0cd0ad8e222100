import { ORDER_TITLES } from '../domain/results/leaderboard-order.js';
import { DEFAULT_PROFILE } from '../domain/task/profile.js';
import { fixed, plural, time } from './numbers.js';
import type { ReportData } from './report-data.js';

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
  return [
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
    ...(comparison.sample
      ? [['data', 'samples: these scores say nothing about the real tasks'] as [string, string]]
      : []),
    ...(comparison.profile === DEFAULT_PROFILE
      ? []
      : [['profile', `${comparison.profile}: not the tasks' own budgets`] as [string, string]]),
    ...comparison.otherProfiles.map(({ profile, runs }): [string, string] => [
      `omitted, profile ${profile}`,
      `${runs} ${runs === 1 ? 'run' : 'runs'}`,
    ]),
    [
      'ordered by',
      `${ORDER_TITLES[comparison.order]} of ${comparison.metric === 'best-submission' ? 'best submissions' : 'best attempts'}`,
    ],
    ...(included.length === 0 ? [] : [['included on request', included.join(', ')] as [string, string]]),
    ...(T === null
      ? []
      : [
          [
            'T',
            `${Number(T.toPrecision(6))} (a factor of ${fixed(10 ** T, 1)} to the best)${comparison.fixedT ? ', fixed' : ', from these data'}`,
          ] as [string, string],
        ]),
    ...(baseline === null
      ? []
      : [
          ['AUP of the baselines', `${fixed(baseline.bestAup, 3)} (best), ${fixed(baseline.lastAup, 3)} (last)`] as [
            string,
            string,
          ],
        ]),
    ...(comparison.resamples === 0
      ? []
      : [['intervals', `95 %, ${comparison.resamples} resamples, seed ${comparison.seed}`] as [string, string]]),
    ...(saved === null ? [] : [['comparison saved', time(saved.createdAt)] as [string, string]]),
    ...(saved === null || saved.otherModels.length === 0
      ? []
      : [['models that it omits', saved.otherModels.join(', ')] as [string, string]]),
    ...(saved === null || saved.otherContracts.length === 0
      ? []
      : [
          [
            'runs of other contracts that it omits',
            saved.otherContracts
              .map(({ task, contract, runs: left }) => `${plural(left, 'run')} of ${task} (contract ${contract})`)
              .join(', '),
          ] as [string, string],
        ]),
    ...(saved === null || saved.changedBaselines.length === 0
      ? []
      : [
          [
            'baselines that have changed since (the comparison keeps the saved ones)',
            saved.changedBaselines.map(({ task }) => task).join(', '),
          ] as [string, string],
        ]),
    ['made', `${time(generatedAt)}, bench ${harnessVersion}`],
  ];
}
