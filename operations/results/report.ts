import type { Database } from '../../db/index.js';
import { BenchError } from '../../domain/errors.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type ReportRequest, reportRequestSchema } from '../../domain/requests/leaderboard.js';
import type { LeaderboardOptions } from '../../domain/views/leaderboard.js';
import type { ReportData } from '../../report/index.js';
import { harnessVersion } from '../batches/store-batch.js';
import type { Bench } from '../bench.js';
import { resolveComparison } from './resolve-comparison.js';

interface Subject {
  title: string;
  options: Pick<LeaderboardOptions, 'batchId'> | { comparison: string };
  /** The batch, if trainers play it. */
  training?: string;
}

/** What the request says of what is compared: all of it is fixed by a saved comparison. */
const given = ({ what: _what, over: _over, resamples: _resamples, seed: _seed, ...compared }: ReportRequest) =>
  Object.entries(compared).flatMap(([name, value]) => (value === undefined ? [] : [name]));

/** A leaderboard with the runs behind each number, for a writer of `report/`. */
export async function report(bench: Bench, input: ReportRequest = {}): Promise<ReportData> {
  const request = checkedRequest(reportRequestSchema, input);
  const { settings } = bench;
  const { metric, order, resamples, seed, over } = request;
  const database = await bench.database();
  const subject = await subjectOf(request, database);
  const compared = await resolveComparison(request, settings.configFolders, database);
  const board = await database.queries.leaderboard({
    ...('comparison' in subject.options
      ? { ...subject.options, ...(metric !== undefined && { metric }), ...(order !== undefined && { order }) }
      : { ...compared, ...subject.options }),
    ...{ resamples, seed },
  });
  if (board.rows.length === 0)
    throw new BenchError('not_found', 'no runs to report on', {
      code: 'report.empty',
      remedy: '`bench runs` lists runs; `bench demo` produces some.',
    });
  const { runs, actions, trees } = await database.queries.reportRuns(board);
  return {
    subject: subject.title,
    generatedAt: new Date().toISOString(),
    harnessVersion: harnessVersion(settings.assetsRoot),
    ...{ over, board, runs, actions, trees },
    training: subject.training === undefined ? null : await database.queries.policyMetrics(subject.training),
  };
}

/** What is meant: a comparison's name goes before a batch's. */
async function subjectOf(request: ReportRequest, database: Database): Promise<Subject> {
  const { what } = request;
  if (what === undefined) return { title: 'All runs', options: {} };
  const saved = (await database.comparisons.list()).some(({ name }) => name === what);
  if (saved) {
    const fixed = given(request).filter((name) => name !== 'metric' && name !== 'order');
    if (fixed.length > 0)
      throw new BenchError('usage', `the comparison ${what} fixes what is compared: omit ${fixed.join(', ')}`, {
        remedy: 'With a comparison you can only choose the metric and the order.',
        fields: { metric: true, order: true },
      });
    return { title: `Comparison ${what}`, options: { comparison: what } };
  }
  if (request.batch !== undefined)
    throw new BenchError(
      'usage',
      `${JSON.stringify(what.slice(0, 80))} and ${JSON.stringify(request.batch)} both say what to report on`,
      {
        remedy: 'Omit one of them.',
        fields: { batch: true },
      },
    );
  const { batchId, name, training } = await database.queries.findBatch(what);
  return { title: `Batch ${name ?? batchId}`, options: { batchId }, ...(training && { training: batchId }) };
}
