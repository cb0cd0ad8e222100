import { groupBy } from '../../domain/text/group-by.js';
import { BenchError } from '../../domain/errors.js';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { PairableRun, PairPages } from '../../domain/ports/reading/pair-pages.js';
import type { PairsRequest } from '../../domain/requests/pairs.js';
import { pairedDifference, pairOutcome } from '../../domain/statistics/paired.js';
import type { Pairs } from '../../domain/views/pairs.js';

const RESAMPLES = { resamples: 2000, seed: 1 };

/** Two batches or two models, attempt by attempt: which side improved, and by how much. */
export async function comparePairs(
  { pages, queries }: { pages: PairPages; queries: Pick<BatchReads, 'findBatch'> },
  { batches, models, tasks, includeSuspect }: PairsRequest,
): Promise<Pairs> {
  if ((batches === undefined) === (models === undefined))
    throw new BenchError('usage', 'either two batches or two models are compared', { code: 'request.invalid' });
  const found = batches === undefined ? null : await Promise.all(batches.map((ref) => queries.findBatch(ref)));
  const ids = found?.map(({ batchId }) => batchId) ?? null;
  const runs = await pages.pairableRuns({ batches: ids, models: models ?? null, tasks: tasks ?? null, includeSuspect });
  const sideOf = (run: PairableRun): string => (ids === null ? run.model : run.batchId);
  const [a = '', b = ''] = ids ?? models ?? [];
  if (a === b) throw new BenchError('usage', 'both sides are the same', { code: 'request.invalid' });
  const [ofA, ofB] = [a, b].map((side) => runs.filter((run) => sideOf(run) === side));
  // Two batches of the same models are compared model by model.
  const shared = new Set(ofA!.map(({ model }) => model).filter((model) => ofB!.some((run) => run.model === model)));
  const keyOf = ({ task, contract, attempt, model }: PairableRun): string =>
    JSON.stringify([task, contract, attempt, ids !== null && shared.size > 0 ? model : '']);
  const { pairs, left } = paired(ofA!, ofB!, keyOf);
  const byTask = groupBy(pairs, ([{ task, contract }]) => JSON.stringify([task, contract]));
  const compared = [...byTask.values()].map((own): Pairs['tasks'][number] => {
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
  });
  const nameOf = (i: number): string => found?.[i]?.name ?? [a, b][i]!;
  return {
    ...{ a: nameOf(0), b: nameOf(1), by: ids === null ? 'model' : 'batch' },
    outcomes: countOf(compared.flatMap((task) => task.pairs.map(({ outcome }) => outcome))),
    tasks: compared,
    unpaired: left,
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
): { pairs: [PairableRun, PairableRun][]; left: { a: number; b: number } } {
  const others = groupBy(ofB, keyOf);
  const pairs: [PairableRun, PairableRun][] = [];
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
