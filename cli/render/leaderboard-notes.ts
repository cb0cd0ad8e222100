import { groupBy } from '../../domain/text/group-by.js';
import { formatScore, plural } from '../../domain/text/format.js';
import { FIGURE_MEANINGS, FIGURE_NAMES } from '../../domain/results/leaderboard-order.js';
import { DEFAULT_PROFILE } from '../../domain/task/profile.js';
import { formatTime, movedBaseline } from './format.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';

/** Notes on the table, each in lines of at most `width`. */
export function leaderboardNotes(board: Leaderboard, width: number): string[] {
  const unranked = new Set(board.rows.map((row) => row.unranked));
  return [
    ...board.tasks.map(
      (task) =>
        `${task.task}: ${task.primary}, ${task.direction === 'maximize' ? 'higher' : 'lower'} is better` +
        (task.baseline === null ? '' : `, baseline ${formatScore(task.baseline)}`) +
        (task.target === null ? '' : `, target ${formatScore(task.target)}`) +
        (task.ranking === null ? '' : `; ranked ${task.ranking}`) +
        (task.compared || board.comparison.T === null ? '' : '; not compared: no ranked model has runs'),
    ),
    ...(board.comparison.sample ? ['Sample data: these scores say nothing about the real tasks.'] : []),
    ...profileNotes(board),
    ...figureNotes(board),
    ...attemptsNotes(board),
    ...intervalNotes(board),
    ...(board.rows.some(({ withSuspects }) => withSuspects !== null)
      ? [
          'With suspects: the AUP with suspect scores counted (--include suspect); flags show each rule and its number of runs.',
        ]
      : []),
    ...costNotes(board),
    ...savedNotes(board),
    ...(unranked.has('kind')
      ? ['Not ranked (–): scripted agents, replays and external players; --include scripted ranks them.']
      : []),
    ...(unranked.has('never_ran')
      ? ['Not ranked (–): models without a run that counts; bench runs --end-reason config_error lists causes.']
      : []),
    ...(unranked.has('spoiler') ? ['Never ranked (–): scripted:spoiler, which submits spoiled solutions.'] : []),
    ...(unranked.has('import')
      ? ['Not ranked (–): imported runs, which this home did not play; --include imported ranks them.']
      : []),
    ...(unranked.has('isolation')
      ? ['Not ranked (–): runs of the local backend, which cannot hide the answers; --include local ranks them.']
      : []),
  ].flatMap((note) => wrapped(note, width));
}

/** Notes on a table without rows. */
export const emptyNotes = (board: Leaderboard, width: number): string[] =>
  profileNotes(board).flatMap((note) => wrapped(note, width));

/** Attempts that were given out on the way (`--attempts auto`), or added to some. */
function attemptsNotes({ rows, tasks, comparison: { k } }: Leaderboard): string[] {
  const compared = tasks.filter((task) => task.compared);
  const counts = rows
    .filter(({ rank }) => rank !== null)
    .flatMap(({ scores }) => compared.map(({ task }) => scores[task]?.counted ?? 0))
    .filter((count) => count > 0);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (k !== null || counts.length === 0 || most < 2 * least) return [];
  return [
    `Attempts differ (${least} to ${most} of a model at a task): best scores, AUP and average ranks favour those with more; a comparison saved with --k ${least} compares equal numbers.`,
  ];
}

function profileNotes({ comparison: { profile, otherProfiles } }: Leaderboard): string[] {
  return [
    ...(profile === DEFAULT_PROFILE
      ? []
      : [`Under the profile ${profile} where tasks have it, not the tasks' own budgets.`]),
    ...otherProfiles.map(
      (other) =>
        `Omitted: ${plural(other.runs, 'run')} under the profile ${other.profile} (--profile ${other.profile}).`,
    ),
  ];
}

function figureNotes({ comparison, tasks, baseline, rows }: Leaderboard): string[] {
  const { T, mode, metric, order, saved } = comparison;
  if (T === null) return [];
  const range = mode === 'strict' ? '0 to 1' : `at most ${T}`;
  const area = metric === 'best-submission' ? baseline?.lastAup : baseline?.bestAup;
  const starters = area === undefined ? '' : `; the starters have ${area.toFixed(2)}`;
  const moving = saved === null ? ' (from the data: more models or tasks change it)' : ' (fixed)';
  const compared = plural(tasks.filter((task) => task.compared).length, 'task');
  const gains = rows.some(({ gain }) => gain !== null);
  const others = (['win-rate', 'gain', 'rank'] as const).filter((one) => one !== order && (one !== 'gain' || gains));
  const without = tasks.filter((task) => task.compared && task.target === null).map(({ task }) => task);
  return [
    `Ordered by ${FIGURE_NAMES[order]}, over ${compared}: ${FIGURE_MEANINGS[order]}.`,
    ...others.map((one) => `${FIGURE_NAMES[one]}: ${FIGURE_MEANINGS[one]}.`),
    ...(without.length > 0 && gains ? [`No target, hence no gain: ${without.join(', ')}.`] : []),
    `AUP: ${FIGURE_MEANINGS.aup}; ${range}, T = ${T}${moving}${starters}.`,
  ];
}

function intervalNotes({ comparison: { order, separation }, rows }: Leaderboard): string[] {
  if (rows.every(({ intervals }) => intervals === null)) return [];
  return [
    `[ ]: 95 % interval over other tasks and attempts of the same kind; P(best): how often the row is first by ${FIGURE_NAMES[order]}.`,
    ...(separation === null || separation.pairs === 0
      ? []
      : [
          `group: models with the same letter are not significantly different by ${FIGURE_NAMES[order]}; ${separation.resolved} of ${plural(separation.pairs, 'pair')} resolved.`,
        ]),
  ];
}

function costNotes({ rows, comparison: { priceList, prices } }: Leaderboard): string[] {
  const kinds = new Set(rows.map(({ costKind }) => costKind));
  const charged = new Set(rows.filter(({ costKind }) => costKind === 'charged').map(({ model }) => model));
  return [
    ...pricesNote(prices.filter(({ model }) => charged.has(model))),
    ...(kinds.has('list')
      ? [
          `List: tokens at the prices of the list ${priceList}, since each harness records costs of imported runs at its own prices.`,
        ]
      : []),
    ...(kinds.has('recorded')
      ? [
          'Recorded: cost of imported runs, at the prices of the harness that played them; recorded costs are not comparable.',
        ]
      : []),
  ];
}

/** Models with the same days share an entry. */
function pricesNote(prices: Leaderboard['comparison']['prices']): string[] {
  const models = groupBy(
    prices,
    ({ from, checked }) => `of ${from}, ${checked === null ? 'never checked' : `checked ${checked}`}`,
  );
  const parts = [...models].map(([days, of]) => `${days} (${of.map(({ model }) => model).join(', ')})`);
  return parts.length === 0 ? [] : [`Prices: ${parts.join('; ')}.`];
}

function savedNotes({ comparison: { saved, k } }: Leaderboard): string[] {
  if (saved === null) return [];
  const runs = saved.newRuns.reduce((sum, one) => sum + one.runs, 0);
  const models = [...new Set(saved.newRuns.map(({ model }) => model))].join(', ');
  const counted = k === null ? 'all count' : `only the first ${k} of each model and task count`;
  return [
    `Comparison ${saved.name}, saved ${formatTime(saved.createdAt)}. ` +
      (saved.otherModels.length === 0
        ? 'No other model has runs on its tasks.'
        : `Not in it, but with runs on its tasks: ${saved.otherModels.join(', ')}.`),
    ...(saved.otherContracts.length === 0
      ? []
      : [
          `Not in it, of another contract: ${saved.otherContracts
            .map((other) => `${plural(other.runs, 'run')} of ${other.task} (contract ${other.contract})`)
            .join(', ')}.`,
        ]),
    ...(saved.changedBaselines.length === 0
      ? []
      : [
          `It uses the saved baselines, which have changed since: ${saved.changedBaselines.map(movedBaseline).join(', ')}.`,
        ]),
    ...(runs === 0 ? [] : [`Since then ${plural(runs, 'run')} of its models ended (${models}): ${counted}.`]),
  ];
}

export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= Math.max(40, width))
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(line === undefined ? word : `  ${word}`);
  }
  return lines;
}
