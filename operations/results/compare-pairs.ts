import { groupBy } from '../../domain/text/group-by.js';
import { BenchError } from '../../domain/errors.js';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { PairableRun, PairPages, SideEnds } from '../../domain/ports/reading/pair-pages.js';
import { addUsd } from '../../domain/model/price.js';
import type { ComparedBy, PairsRequest } from '../../domain/requests/pairs.js';
import { attemptSign } from '../../domain/statistics/gain.js';
import { pairedDifference, pairOutcome } from '../../domain/statistics/paired.js';
import { quantile } from '../../domain/statistics/quantile.js';
import { type PairCounts, pairsNeeded, pairVerdict } from '../../domain/statistics/verdict.js';
import type { Pairs } from '../../domain/views/pairs.js';

const RESAMPLES = { resamples: 2000, seed: 1 };
/** Of win rate: what an undecided comparison counts attempts for. */
const DIFFERENCE = 0.1;

export interface PairPorts {
  pages: PairPages;
  queries: Pick<BatchReads, 'findBatch'>;
}

type Pair = [PairableRun, PairableRun];

/** What of the sides' runs counts, besides the request. */
export interface PairsWithin {
  /** Null: any. */
  batchId: string | null;
  /** By task. */
  contracts: Readonly<Record<string, number>>;
}

/** Two batches, models or agents, attempt by attempt: which side improved, and by how much. */
export async function comparePairs(
  { pages, queries }: PairPorts,
  request: PairsRequest,
  within?: PairsWithin,
): Promise<Pairs> {
  const { batches, models, agents, tasks, includeSuspect } = request;
  const given = [batches, models, agents].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw new BenchError('usage', 'two batches, two models or two agents are compared', { code: 'request.invalid' });
  const found = batches === undefined ? null : await Promise.all(batches.map((ref) => queries.findBatch(ref)));
  const ids = found?.map(({ batchId }) => batchId) ?? null;
  const by: ComparedBy = ids !== null ? 'batch' : models !== undefined ? 'model' : 'agent';
  const [a = '', b = ''] = ids ?? given[0]!;
  if (a === b) throw new BenchError('usage', 'both sides are the same', { code: 'request.invalid' });
  const inBatch = within?.batchId == null ? null : [within.batchId];
  const filter = { batches: ids ?? inBatch, models: models ?? null, agents: agents ?? null, tasks: tasks ?? null };
  const pairable = await pages.pairableRuns({ ...filter, includeSuspect });
  const runs = pairable.filter((run) => within === undefined || within.contracts[run.task] === run.contract);
  const { pairs, left } = pairsOf(runs, by, [a, b]);
  const compared = [...groupBy(pairs, ([{ task, contract }]) => JSON.stringify([task, contract])).values()];
  const played = [...new Set(pairs.map(([{ task }]) => task))];
  const ends = await pages.sideEnds({ ...filter, tasks: played.length === 0 ? filter.tasks : played });
  const [ofA, ofB] = [a, b].map((side) => figuresOf(ends.filter((one) => one.side === side)));
  const sides = { a: ofA!, b: ofB! };
  const described = compared.map(describeTask);
  return {
    ...{ a: found?.[0]?.name ?? a, b: found?.[1]?.name ?? b, by, sides },
    verdict: verdictOf(compared, request, sides.a.unfinished + sides.b.unfinished),
    outcomes: countOf(described.flatMap((task) => task.pairs.map(({ outcome }) => outcome))),
    tasks: described,
    unpaired: left,
  };
}

function pairsOf(runs: readonly PairableRun[], by: ComparedBy, sides: readonly string[]) {
  const sideOf = (run: PairableRun): string => ({ batch: run.batchId, model: run.model, agent: run.agent })[by];
  const [ofA, ofB] = sides.map((side) => runs.filter((run) => sideOf(run) === side));
  // Two batches, or agents, of the same models are compared model by model.
  const shared = new Set(ofA!.map(({ model }) => model).filter((model) => ofB!.some((run) => run.model === model)));
  const keyOf = ({ task, contract, attempt, model }: PairableRun): string =>
    JSON.stringify([task, contract, attempt, by !== 'model' && shared.size > 0 ? model : '']);
  return paired(ofA!, ofB!, keyOf);
}

function describeTask(own: readonly Pair[]): Pairs['tasks'][number] {
  const { task, metric, direction, baseline, standardError } = own[0]![0];
  const scored = own.map(([one, other]) => {
    const score = { a: one.score, b: other.score };
    return { one, other, score, outcome: pairOutcome({ direction, baseline, standardError }, score) };
  });
  const difference = pairedDifference(
    scored.map(({ score }) => score),
    direction,
    RESAMPLES,
  );
  return {
    ...{ task, metric, direction, baseline },
    outcomes: countOf(scored.map(({ outcome }) => outcome)),
    ...{ mean: difference.mean, interval: difference.interval, scored: difference.pairs },
    pairs: scored.map(({ one, other, outcome }) => ({
      attempt: one.attempt,
      sameSeed: one.seed === other.seed,
      outcome,
      a: { runId: one.runId, model: one.model, score: one.score },
      b: { runId: other.runId, model: other.model, score: other.score },
    })),
  };
}

/** Attempts are compared as on the leaderboard, and tie within the noise of their evaluations. */
function verdictOf(
  tasks: readonly (readonly Pair[])[],
  { confidence, margin }: Pick<PairsRequest, 'confidence' | 'margin'>,
  unfinished: number,
): Pairs['verdict'] {
  const counts: PairCounts = { wins: 0, ties: 0, losses: 0 };
  let [tasksAhead, tasksBehind] = [0, 0];
  for (const pairs of tasks) {
    const signs = pairs.map(([a, b]) => attemptSign(a, a.score, b.score));
    const sum = signs.reduce<number>((total, sign) => total + sign, 0);
    if (sum > 0) tasksAhead++;
    if (sum < 0) tasksBehind++;
    for (const sign of signs) counts[sign > 0 ? 'wins' : sign < 0 ? 'losses' : 'ties']++;
  }
  const verdict = pairVerdict(counts, { confidence, margin });
  if (verdict === null) return null;
  const pairs = counts.wins + counts.ties + counts.losses;
  const missing = pairsNeeded(counts, { confidence, difference: DIFFERENCE }) - pairs;
  return {
    ...verdict,
    // Deciding at each look until one decides would call equal sides worse too often.
    worse: unfinished > 0 ? 'undecided' : verdict.worse,
    ...{ ...counts, confidence, margin, tasksAhead, tasksBehind },
    moreAttempts: verdict.decision === 'undecided' ? Math.max(1, Math.ceil(missing / tasks.length)) : null,
  };
}

function figuresOf(ends: readonly SideEnds[]): Pairs['sides']['a'] {
  const sum = (of: readonly SideEnds[]): number => of.reduce((total, { runs }) => total + runs, 0);
  const seconds = ends.flatMap((one) => one.seconds);
  return {
    runs: sum(ends),
    unfinished: sum(ends.filter(({ endReason }) => endReason === null)),
    costUsd: addUsd('0', ...ends.map(({ costUsd }) => costUsd)),
    medianSeconds: seconds.length === 0 ? null : quantile(seconds, 0.5),
    ends: Object.fromEntries(ends.flatMap(({ endReason, runs }) => (endReason === null ? [] : [[endReason, runs]]))),
  };
}

type Outcome = Pairs['tasks'][number]['pairs'][number]['outcome'];

function countOf(outcomes: readonly Outcome[]): Pairs['outcomes'] {
  const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
  for (const outcome of outcomes) counts[outcome]++;
  return counts;
}

/** Pairs the runs of one key: first those of the same seed, then in order. */
function paired(
  ofA: readonly PairableRun[],
  ofB: readonly PairableRun[],
  keyOf: (run: PairableRun) => string,
): { pairs: Pair[]; left: { a: number; b: number } } {
  const others = groupBy(ofB, keyOf);
  const pairs: Pair[] = [];
  const waiting: PairableRun[] = [];
  const take = (run: PairableRun, fits: (other: PairableRun) => boolean): boolean => {
    const list = others.get(keyOf(run)) ?? [];
    const place = list.findIndex(fits);
    if (place === -1) return false;
    pairs.push([run, list.splice(place, 1)[0]!]);
    return true;
  };
  for (const run of ofA) if (!take(run, ({ seed }) => seed === run.seed)) waiting.push(run);
  const alone = waiting.filter((run) => !take(run, () => true));
  pairs.sort(([x], [y]) => ofA.indexOf(x) - ofA.indexOf(y));
  return { pairs, left: { a: alone.length, b: ofB.length - pairs.length } };
}
