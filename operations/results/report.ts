import { BenchError } from '../../domain/errors.js';
import type { Comparisons } from '../../domain/ports/comparisons.js';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { LeaderboardReads } from '../../domain/ports/reading/leaderboards.js';
import type { TrainingReads } from '../../domain/ports/reading/training.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type ReportRequest, reportRequestSchema } from '../../domain/requests/leaderboard.js';
import type { LeaderboardOptions } from '../../domain/views/leaderboard.js';
import type { ReportData } from '../../report/report-data.js';
import { harnessVersion } from '../harness-version.js';
import type { BenchSettings } from '../settings.js';
import { type ComparisonPorts, resolveComparison } from './resolve-comparison.js';

interface SubjectPorts {
  comparisons: Pick<Comparisons, 'list'>;
  queries: Pick<BatchReads, 'findBatch'>;
}
export type ReportPorts = ComparisonPorts &
  SubjectPorts & {
    queries: LeaderboardReads & Pick<TrainingReads, 'policyMetrics'>;
    settings: Pick<BenchSettings, 'assetsRoot'>;
  };

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
export async function report(ports: ReportPorts, input: ReportRequest = {}): Promise<ReportData> {
  const request = checkedRequest(reportRequestSchema, input);
  const { queries, settings } = ports;
  const { metric, order, resamples, seed, over } = request;
  const subject = await subjectOf(request, ports);
  const compared = await resolveComparison(ports, request);
  const board = await queries.leaderboard({
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
  const { runs, actions, trees } = await queries.reportRuns(board);
  return {
    subject: subject.title,
    generatedAt: new Date().toISOString(),
    harnessVersion: harnessVersion(settings.assetsRoot),
    ...{ over, board, runs, actions, trees },
    training: subject.training === undefined ? null : await queries.policyMetrics(subject.training),
  };
}

/** A name that a comparison and a batch share means the comparison. */
async function subjectOf(request: ReportRequest, { comparisons, queries }: SubjectPorts): Promise<Subject> {
  const { what } = request;
  if (what === undefined) return { title: 'All runs', options: {} };
  const saved = (await comparisons.list()).some(({ name }) => name === what);
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
  const { batchId, name, training } = await queries.findBatch(what);
  return { title: `Batch ${name ?? batchId}`, options: { batchId }, ...(training && { training: batchId }) };
}
