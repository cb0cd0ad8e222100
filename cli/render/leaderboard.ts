import { FIGURE_NAMES } from '../../domain/results/leaderboard-order.js';
import { flaggedRunsText } from '../../domain/run/integrity-rules.js';
import { formatScore, formatUsd } from '../../domain/text/format.js';
import { emptyNotes, leaderboardNotes, wrapped } from './leaderboard-notes.js';
import { type Column, tableWidth } from './table.js';
import type {
  Leaderboard,
  LeaderboardRow,
  LeaderboardTask,
  LeaderboardUncertainty,
} from '../../domain/views/leaderboard.js';

/** How its parts are written: for a terminal, or as Markdown. */
export interface LeaderboardForm {
  title: (text: string) => string;
  table: <T>(rows: readonly T[], columns: readonly Column<T>[]) => string;
  note: (text: string) => string;
  /** The most columns of characters that a table may take. */
  width: number;
  /** Columns are left out where they do not fit: on a terminal. */
  dropsColumns: boolean;
}

/** `drop`: given up in this order, the highest first, where the terminal is too narrow. */
type Droppable = Column<LeaderboardRow> & { drop?: number };

/** Tasks are columns where they fit, with both scores or the ordering one; else tables below. */
export function renderLeaderboard(board: Leaderboard, form: LeaderboardForm): string {
  const { width } = form;
  if (board.rows.length === 0)
    return ['No runs to rank yet. `bench demo` produces some.', ...emptyNotes(board, width)].join('\n');
  const metric = board.comparison.metric === 'best-submission' ? 'best submission' : 'best attempt';
  const saved = board.comparison.saved === null ? '' : `, comparison ${board.comparison.saved.name}`;
  const main = mainColumns(board);
  const given: string[] = [];
  const before = main.findIndex(({ title }) => title === 'improved' || title === 'runs');
  const inline = [taskColumns(board, board.tasks, ['best', 'last']), taskColumns(board, board.tasks, [kindOf(board)])]
    .map((tasks) => [...main.slice(0, before), ...tasks, ...main.slice(before)])
    .find((columns) => tableWidth(board.rows, columns) <= width);
  const tables =
    inline === undefined
      ? [
          form.table(board.rows, fitting(board.rows, main, { width: form.dropsColumns ? width : Infinity, given })),
          ...taskTables(board, form),
        ]
      : [form.table(board.rows, inline)];
  tables.push(...curveTables(board, form));
  return [
    ...scopeLines(board, width),
    form.title(
      `Leaderboard by ${FIGURE_NAMES[board.comparison.order]} of ${metric} (${board.comparison.mode}${saved})`,
    ),
    ...tables.flatMap((table) => ['', table]),
    '',
    ...[...leftOutNotes(given, width), ...leaderboardNotes(board, width)].map((note) => form.note(note)),
  ].join('\n');
}

/** Whose runs these are, unless a saved comparison says it. */
function scopeLines({ comparison: { batchId, batchName, newest, saved } }: Leaderboard, width: number): string[] {
  if (saved !== null) return [];
  const batch = batchId === null ? 'All batches' : `Batch ${batchName ?? batchId}`;
  const more = newest ? ', the newest with a run that counts; --batch all: every one' : '';
  return [...wrapped(`${batch}${more}.`, width), ''];
}

const leftOutNotes = (titles: readonly string[], width: number): string[] =>
  titles.length === 0 ? [] : wrapped(`Left out on this narrow terminal: ${titles.join(', ')}; --csv has all.`, width);

const kindOf = (board: Leaderboard): 'best' | 'last' =>
  board.comparison.metric === 'best-submission' ? 'last' : 'best';

function mainColumns(board: Leaderboard): Droppable[] {
  const { order } = board.comparison;
  const kind = kindOf(board);
  const profiled = board.comparison.T !== null;
  const sampled = board.rows.some(({ intervals }) => intervals !== null);
  const figures = figureColumns(board, sampled);
  // An average rank has no interval: the area stands before it, as in the tables of MLGym-Bench.
  const [first, ...others] =
    order === 'rank' ? (['aup', 'win-rate', 'gain', 'rank'] as const) : (['win-rate', 'gain', 'aup', 'rank'] as const);
  return [
    { title: '#', value: (row) => (row.rank === null ? '–' : String(row.rank)), align: 'right' },
    { title: 'model', value: (row) => row.model },
    ...(profiled ? [{ ...figures[first]!, drop: 0 }] : []),
    ...(board.rows.some(({ withSuspects }) => withSuspects !== null)
      ? [
          {
            title: 'AUP with suspects',
            value: ({ withSuspects }: LeaderboardRow) =>
              fixed(withSuspects?.[kind === 'best' ? 'bestAup' : 'lastAup'] ?? null, 2),
            align: 'right' as const,
            drop: 7,
          },
        ]
      : []),
    ...(sampled
      ? [
          { title: 'group', value: (row: LeaderboardRow) => row.intervals?.group ?? '–', drop: 3 },
          {
            title: 'P(best)',
            value: (row: LeaderboardRow) => probability(row.intervals, kind),
            align: 'right' as const,
            drop: 2,
          },
        ]
      : []),
    ...(profiled ? [{ title: 'improved', value: improved, align: 'right' as const, drop: 6 }] : []),
    ...(profiled ? others.flatMap((one) => figures[one] ?? []) : []),
    { title: 'runs', value: attempts, align: 'right' },
    {
      title: '$/run',
      value: (row) => cost(row.costPerRunUsd, row),
      align: 'right',
      drop: 1,
    },
    {
      title: 'cost',
      value: (row) => atLeast(cost(row.costUsd, row), row),
      align: 'right',
      drop: 8,
    },
    ...(board.rows.some((row) => flags(row) !== '') ? [{ title: 'flags', value: flags }] : []),
  ];
}

/** Gains only where tasks have targets. Win rates and gains have intervals. */
function figureColumns(board: Leaderboard, sampled: boolean): Partial<Record<keyof typeof FIGURE_NAMES, Droppable>> {
  const kind = kindOf(board);
  const best = kind === 'best';
  const column = (
    of: keyof typeof FIGURE_NAMES,
    drop: number,
    value: (row: LeaderboardRow) => number | null,
    interval?: (uncertainty: LeaderboardUncertainty) => { low: number; high: number } | null,
  ): Droppable => ({
    title: `${FIGURE_NAMES[of]}${sampled && interval !== undefined ? ' [95 %]' : ''}`,
    value: (row) => {
      const shown = fixed(value(row), 2);
      const around = row.intervals === null ? null : (interval?.(row.intervals) ?? null);
      return around === null ? shown : `${shown} [${fixed(around.low, 2)}, ${fixed(around.high, 2)}]`;
    },
    align: 'right',
    drop,
  });
  const winRate = (row: LeaderboardRow) => row.winRate?.[kind] ?? null;
  const gain = (row: LeaderboardRow) => row.gain?.[kind] ?? null;
  return {
    'win-rate': column('win-rate', 4, winRate, (one) => (best ? one.bestWinRate : one.lastWinRate)),
    ...(board.rows.some((row) => row.gain !== null) && {
      gain: column('gain', 5, gain, (one) => (best ? one.bestGain : one.lastGain)),
    }),
    aup: column('aup', 10, (row) => (best ? row.bestAup : row.lastAup)),
    rank: column('rank', board.comparison.order === 'rank' ? 3 : 9, (row) => row.averageRank),
  };
}

/** With its kind, unless this home was charged it. */
const cost = (usd: string | null, { costKind }: LeaderboardRow): string =>
  usd === null ? '–' : `${formatUsd(usd)}${costKind === 'charged' ? '' : ` ${costKind}`}`;

/** Runs of unknown cost are not free. */
const atLeast = (shown: string, { costUsd, unknownCosts }: LeaderboardRow): string =>
  costUsd === null || unknownCosts === 0 ? shown : `≥ ${shown}`;

const fixed = (value: number | null, digits: number): string => (value === null ? '–' : value.toFixed(digits));

function probability(uncertainty: LeaderboardUncertainty | null, kind: 'best' | 'last'): string {
  const share = uncertainty?.pBest?.[kind];
  if (share === undefined) return '–';
  // Draws that never came are not impossible.
  if (share < 0.005) return '<1 %';
  return share > 0.995 ? '>99 %' : `${Math.round(share * 100)} %`;
}

/** What is known of fewer tasks than the others' says so. */
function improved(row: LeaderboardRow): string {
  if (row.improvedTasks === null) return '–';
  const compared = Object.values(row.scores).filter(({ bestStatus }) => bestStatus !== null).length;
  const apart = [
    ...(row.missingTasks ? [`${row.missingTasks} missing`] : []),
    ...(row.notRunTasks ? [`${row.notRunTasks} not run`] : []),
  ];
  return `${row.improvedTasks}/${compared}${apart.length === 0 ? '' : ` (${apart.join(', ')})`}`;
}

/** Ended of submitted. Failures of infrastructure and configuration, and refusals, always show. */
function attempts(row: LeaderboardRow): string {
  const unscored = row.infraErrors + row.configErrors;
  const apart = [
    ...(unscored === 0 ? [] : [`${unscored} unscored`]),
    ...(row.refused === 0 ? [] : [`${row.refused} refused`]),
  ];
  return `${row.ended}/${row.attempts}${apart.length === 0 ? '' : ` (${apart.join(', ')})`}`;
}

const flags = (row: LeaderboardRow): string =>
  [
    ...flaggedRunsText(row.flags),
    ...(row.suspect === 0 || Object.keys(row.flags).length > 0 ? [] : [`suspect ${row.suspect}`]),
    ...(row.isolation === 'none' ? ['local'] : row.isolation === 'import' ? ['imported'] : []),
    ...(row.kind === 'real' ? [] : [row.kind]),
  ].join(', ');

function taskColumns(
  board: Leaderboard,
  tasks: readonly LeaderboardTask[],
  kinds: readonly ('best' | 'last')[],
): Column<LeaderboardRow>[] {
  return tasks.flatMap(({ task, direction }) =>
    kinds.map((kind, i): Column<LeaderboardRow> => {
      const arrow = direction === 'maximize' ? '↑' : '↓';
      const title = kinds.length === 1 ? `${task} ${arrow}` : i === 0 ? `${task} ${arrow} best` : 'last';
      return { title, value: (row) => scoreCell(row, task, kind), align: 'right' };
    }),
  );
}

function scoreCell(row: LeaderboardRow, task: string, kind: 'best' | 'last'): string {
  const score = row.scores[task];
  if (score === undefined) return '–';
  if (score[kind] === null && score.attempts > 0 && score.counted === 0)
    return score.ended < score.attempts ? 'running' : 'not run';
  // What is there does not count.
  if (score[kind] === null && score.suspect > 0) return 'suspect';
  return formatScore(score[kind]);
}

/** As many of the columns as fit, those with a `drop` given up first; `given` gets their titles. */
function fitting<T>(
  rows: readonly T[],
  columns: readonly (Column<T> & { drop?: number })[],
  { width, given }: { width: number; given: string[] },
): Column<T>[] {
  const kept = [...columns];
  while (tableWidth(rows, kept) > width) {
    const last = Math.max(...kept.map(({ drop }) => drop ?? 0));
    if (last === 0) break;
    const [gone] = kept.splice(
      kept.findIndex(({ drop }) => drop === last),
      1,
    );
    given.push(gone!.title);
  }
  return kept;
}

/** Models by tasks, in as many tables as the width asks for. */
function tablesOf(
  rows: readonly LeaderboardRow[],
  columns: readonly Column<LeaderboardRow>[],
  { width, table }: LeaderboardForm,
): string[] {
  const model: Column<LeaderboardRow> = { title: 'model', value: (row) => row.model };
  const tables: string[] = [];
  let rest = [...columns];
  while (rest.length > 0) {
    let taken = 1;
    while (taken < rest.length && tableWidth(rows, [model, ...rest.slice(0, taken + 1)]) <= width) taken++;
    tables.push(table(rows, [model, ...rest.slice(0, taken)]));
    rest = rest.slice(taken);
  }
  return tables;
}

const taskTables = (board: Leaderboard, form: LeaderboardForm): string[] =>
  tablesOf(board.rows, taskColumns(board, board.tasks, [kindOf(board)]), form);

/** Of k attempts, the best gain and the share of tasks improved, where there is more than one. */
function curveTables(board: Leaderboard, form: LeaderboardForm): string[] {
  const kind = kindOf(board);
  const pointsOf = (row: LeaderboardRow) => row.curve?.[kind] ?? [];
  const most = Math.max(0, ...board.rows.map((row) => pointsOf(row).length));
  if (most < 2) return [];
  // One, doubled, and all.
  const ks = [...new Set([1, 2, 4, 8, 16, 32, most].filter((k) => k <= most))].sort((a, b) => a - b);
  const rows = board.rows.filter((row) => pointsOf(row).length > 0);
  const columns = ks.map((k): Column<LeaderboardRow> => ({
    title: `k = ${k}`,
    value: (row) => {
      const point = pointsOf(row)[k - 1];
      return point === undefined ? '–' : `${point.gain.toFixed(2)}, ${Math.round(100 * point.improved)} %`;
    },
    align: 'right',
  }));
  const title = form.title('Of k attempts: expected best gain, improved tasks');
  return [title, ...tablesOf(rows, columns, form)];
}
