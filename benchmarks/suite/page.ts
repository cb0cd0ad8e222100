import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { Player } from './players.js';

export interface Played {
  command: string;
  date: string;
  cores: number;
  seed: number;
  backend: string;
  batches: readonly { player: Player; board: Leaderboard; leaderboard: string; minutes: number }[];
  /** Null: there were no recordings. */
  replays: readonly Replay[] | null;
}

/** A recording that was played again. */
export interface Replay {
  file: string;
  task: string;
  /** Recorded ones; one more submits where the recording does not. */
  steps: number;
  played: number;
  /** The final scores. */
  recorded: number | null;
  now: number | null;
}

type Cells = readonly (string | number | null | undefined)[];

const line = (cells: Cells): string =>
  `| ${cells.map((cell) => String(cell ?? '–').replaceAll('|', '\\|')).join(' | ')} |`;
const table = (head: readonly string[], rows: readonly Cells[]): string[] => [
  line(head),
  line(head.map(() => '---')),
  ...rows.map(line),
  '',
];

/** `benchmarks/SUITE.md`: what is compared, the leaderboard of each batch, and the recordings. */
export function suitePage({ command, date, cores, seed, backend, batches, replays }: Played): string {
  return [
    "# MLGym-Bench's tasks, played",
    '',
    `Generated: \`npm run build && ${command}\`, ${date}, ${cores} cores, ${backend} backend. All thirteen tasks of the suite, on their sample data.`,
    `Seed ${seed}: each run has the sum of it and its attempt. \`benchmarks/suite/players.ts\` says who plays.`,
    '',
    '<!-- prettier-ignore-start -->',
    '',
    ...searchSection(batches),
    ...batches.flatMap(batchSection),
    ...(replays === null ? [] : replaySection(replays)),
    '<!-- prettier-ignore-end -->',
    '',
  ].join('\n');
}

const mean = (of: readonly number[]): number | null =>
  of.length === 0 ? null : of.reduce((sum, one) => sum + one, 0) / of.length;

/** Gains of trees with equal budgets at each task. */
function searchSection(batches: Played['batches']): string[] {
  const trees = batches.flatMap(({ player, board }) =>
    player.search === undefined ? [] : [{ search: player.search, player, board }],
  );
  const [first] = trees;
  if (first === undefined) return [];
  const gainOf = ({ board }: (typeof trees)[number], task: string): number | null =>
    mean(board.rows.flatMap(({ scores }) => scores[task]?.bestGain ?? []));
  const gains = first.board.tasks.map(({ task }) => trees.map((one) => gainOf(one, task)));
  return [
    '## Search against a line, at equal budget',
    '',
    `Each plays ${first.search.nodes} ideas of ${first.search.nodeSteps} steps with ${first.player.models.join(', ')}, which knows each task's solution and plays it with a share that an idea ` +
      'changes by −0.3 to +0.2; one idea in six cannot be scored. `linear` goes on from its last idea, whatever it was worth; the others choose by validation. Figures: the gain of the ' +
      "chosen submission on test, 0 the baseline, 1 the task's target. They show what choosing brings where ideas hurt more often than they help; of models they say nothing.",
    '',
    ...table(
      ['task', ...trees.map(({ search }) => search.policy)],
      first.board.tasks.map(({ task }, i) => [task, ...(gains[i] ?? []).map(asGain)]),
    ),
    ...table(
      ['mean of all tasks', ...trees.map(({ search }) => search.policy)],
      [['gain', ...trees.map((_, i) => asGain(mean(gains.map((of) => of[i] ?? 0))))]],
    ),
  ];
}

const asGain = (gain: number | null): string => (gain === null ? '–' : gain.toFixed(3));

const optionsOf = ({ search }: Player): string => {
  const options = Object.entries(search ?? {}).map(([key, value]) => `${key} ${String(value)}`);
  return options.length === 0 ? '' : ` (${options.join(', ')})`;
};

function batchSection({ player, board, leaderboard, minutes }: Played['batches'][number]): string[] {
  const { comparison, tasks, rows } = board;
  const runs = rows.reduce((sum, { attempts }) => sum + attempts, 0);
  return [
    `## ${player.name}`,
    '',
    `Agent ${player.agent}${optionsOf(player)}, ${player.models.join(', ')}; attempts at each task: ${player.attempts}, most steps: ${player.maxSteps}; ${runs} runs in ${minutes} minutes.`,
    '',
    '### Comparison set',
    '',
    `Models: ${comparison.models.join(', ')} · T: ${comparison.T ?? '–'} · mode: ${comparison.mode} · metric: ${comparison.metric} · order: ${comparison.order} · ` +
      `sample data: ${comparison.sample ? 'yes' : 'no'} · profile: ${comparison.profile}`,
    '',
    ...table(
      ['task', 'contract', 'metric', 'direction', 'baseline', 'standard error', 'target'],
      tasks.map((task) => [
        ...[task.task, task.contract, task.primary, task.direction],
        ...[task.baseline, task.standardError, task.target],
      ]),
    ),
    '### Leaderboard',
    '',
    leaderboard,
    '',
  ];
}

const replaySection = (replays: readonly Replay[]): string[] => [
  '## Recordings',
  '',
  `Published runs of the games, played again by agent mlgym: ${replays.length} runs. Games are drawn anew, so scores differ by noise.`,
  '',
  ...table(
    ['recording', 'task', 'recorded steps', 'played', 'final recorded', 'final now'],
    replays.map(({ file, task, steps, played, recorded, now }) => [
      ...[file, task, steps, played],
      ...[rounded(recorded), rounded(now)],
    ]),
  ),
];

const rounded = (score: number | null): number | null => (score === null ? null : Number(score.toPrecision(5)));
