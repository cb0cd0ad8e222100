import { INCLUDED } from '../../domain/requests/comparison.js';
import { orderInMode } from '../../domain/results/leaderboard-order.js';
import { profileMeant } from '../../domain/task/profile.js';
import type { SavedComparison } from '../../domain/views/comparisons.js';
import type { LeaderboardOptions, Leaderboard } from '../../domain/views/leaderboard.js';
import { tasksAtContracts, baselinesOf, scalesOf } from './comparisons.js';

/** Whose runs a leaderboard has. Null: every batch's. */
export interface Scope {
  batchId: string | null;
  batchName: string | null;
  /** It is the newest with a run that counts, by default. */
  newest: boolean;
}

export type Choices = ReturnType<typeof choicesOf> & Scope;

/** The options, with those of the saved comparison and with defaults. */
export function choicesOf(asked: LeaderboardOptions, saved: SavedComparison | null) {
  const options = saved === null ? asked : { ...asked, ...saved.options, metric: asked.metric ?? saved.options.metric };
  const mode = options.mode ?? 'strict';
  const metric = options.metric ?? 'best-attempt';
  const { include = [], sample = false } = options;
  return {
    options,
    mode,
    metric,
    kind: metric === 'best-submission' ? ('last' as const) : ('best' as const),
    order: orderInMode(mode),
    include: INCLUDED.filter((one) => include.includes(one) || (one === 'suspect' && mode === 'compat')),
    sample,
    intervals: options.intervals === true,
    profile: profileMeant(options.profile, sample),
    tasks: (saved === null ? options.tasks : tasksAtContracts(saved.options)) ?? null,
    models: options.models ?? null,
    batchId: options.batchId ?? null,
  };
}

type Comparison = Leaderboard['comparison'];

type FoundComparison = Pick<
  Comparison,
  'models' | 'tasks' | 'separation' | 'priceList' | 'prices' | 'otherProfiles' | 'saved'
> & {
  axis: Comparison['T'];
};

/** The document states the choices that were made and what was compared. */
export const statedComparison = ({ options, ...choices }: Choices, found: FoundComparison): Comparison => ({
  models: found.models,
  tasks: found.tasks,
  k: options.k ?? null,
  T: found.axis,
  mode: choices.mode,
  metric: choices.metric,
  order: choices.order,
  separation: found.separation,
  priceList: found.priceList,
  prices: found.prices,
  include: choices.include,
  sample: choices.sample,
  profile: choices.profile,
  otherProfiles: found.otherProfiles,
  batchId: choices.batchId,
  batchName: choices.batchName,
  newest: choices.newest,
  saved: found.saved,
});

/** Parameters of STATEMENT and AREAS. */
export const parametersOf = (
  { options, ...choices }: Choices,
  saved: SavedComparison | null,
  suspect: boolean,
): unknown[] => [
  choices.batchId,
  choices.models,
  choices.tasks,
  options.k ?? null,
  suspect,
  choices.include.includes('local'),
  choices.include.includes('scripted'),
  options.axis ?? 0,
  choices.sample,
  choices.profile,
  saved === null ? null : baselinesOf(saved.options),
  choices.include.includes('imported'),
  ...(saved === null ? [null, null] : scalesOf(saved.options)),
];
