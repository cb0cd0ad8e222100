import { DEFAULT_PROJECT } from '../../domain/home/project.js';
import { BenchError } from '../../domain/errors.js';
import type { Statements } from '../statements.js';
import {
  BATCH_SUMMARY,
  OWN_BATCH,
  batchSummary,
  type BatchSummaryRow,
  runSummary,
  type RunSummaryRow,
  summaryOfRun,
} from './summaries.js';
import type { BatchSummary } from '../../domain/views/batches.js';
import type { RunSummary } from '../../domain/views/runs.js';

const CANDIDATES = 5;

/** Ids of one day begin alike, so people abbreviate by the end, programs by the beginning. */
const abbreviates = (column: string, prefix: string) =>
  `(starts_with(${column}, lower($1)) or starts_with(${column}, '${prefix}' || lower($1))
    or right(${column}, length($1)) = lower($1))`;

export async function findBatch(run: Statements, ref: string | undefined): Promise<BatchSummary> {
  const latest = () =>
    run<BatchSummaryRow>(
      'findBatch',
      `${BATCH_SUMMARY} where ${OWN_BATCH} and b.archived_at is null order by b.created_at desc, b.batch_id desc limit ${CANDIDATES}`,
      [],
    );
  if (ref === undefined) {
    const [newest] = await latest();
    if (newest !== undefined) return batchSummary(newest);
    throw new BenchError('not_found', 'no batch yet', {
      code: 'batch.not_found',
      remedy: 'Submit one with `bench submit` or `bench demo`.',
    });
  }
  const found = await matchBatches(run, ref);
  const [first, second] = found;
  if (first === undefined) {
    const [other] = await matchRuns(run, ref);
    if (other !== undefined)
      throw new BenchError('not_found', `"${ref}" is a run, not a batch`, {
        code: 'batch.not_found',
        remedy: `\`bench show ${other.runId}\` shows it. Its batch is ${other.batchId}.`,
      });
    const known = (await latest()).map(labelOf);
    throw new BenchError('not_found', `no batch "${ref}"`, {
      code: 'batch.not_found',
      remedy:
        known.length === 0
          ? 'There is no batch yet: submit one with `bench submit`.'
          : `The latest: ${known.join(', ')}`,
    });
  }
  if (second === undefined || first.batchId === ref.toLowerCase() || first.name === ref) return batchSummary(first);
  throw ambiguous('batch', ref, found.map(labelOf));
}

export async function findRun(run: Statements, ref: string): Promise<RunSummary> {
  const found = await matchRuns(run, ref);
  const [first, second] = found;
  if (first === undefined) {
    const [other] = await matchBatches(run, ref);
    if (other !== undefined)
      throw new BenchError('not_found', `"${ref}" is a batch, not a run`, {
        code: 'run.not_found',
        remedy: `\`bench status ${other.batchId}\` shows it, \`bench runs ${other.batchId}\` lists its runs.`,
      });
    throw new BenchError('not_found', `no run "${ref}"`, {
      code: 'run.not_found',
      remedy: 'List runs with `bench runs`; the first or last characters of an id suffice.',
    });
  }
  if (second === undefined || first.runId === ref.toLowerCase()) return summaryOfRun(first);
  throw ambiguous(
    'run',
    ref,
    found.map(({ runId, model, task, attempt }) => `${runId} (${model}, ${task}, attempt ${attempt})`),
  );
}

/** Best match first; one more than are shown. */
const matchBatches = async (run: Statements, ref: string): Promise<BatchSummaryRow[]> =>
  ref === ''
    ? []
    : run<BatchSummaryRow>(
        'findBatch',
        `${BATCH_SUMMARY}
         where b.batch_id = lower($1) or (b.project = $2 and b.name = $1) or ${abbreviates('b.batch_id', 'b-')}
         order by b.batch_id = lower($1) desc, coalesce(b.project = $2 and b.name = $1, false) desc, b.created_at desc, b.batch_id desc
         limit ${CANDIDATES + 1}`,
        [ref, DEFAULT_PROJECT],
      );

const matchRuns = async (run: Statements, ref: string): Promise<RunSummaryRow[]> =>
  ref === ''
    ? []
    : run<RunSummaryRow>(
        'findRun',
        `${runSummary()} where r.run_id = lower($1) or ${abbreviates('r.run_id', 'r-')}
         order by r.run_id = lower($1) desc, r.created_at desc, r.ordinal limit ${CANDIDATES + 1}`,
        [ref],
      );

const labelOf = (batch: BatchSummaryRow) => (batch.name === null ? batch.batchId : `${batch.batchId} (${batch.name})`);

function ambiguous(what: 'batch' | 'run', ref: string, candidates: string[]): BenchError {
  const shown = candidates.slice(0, CANDIDATES);
  return new BenchError('not_found', `"${ref}" matches more than one ${what}`, {
    code: `${what}.ambiguous`,
    remedy: `Type more of the id. Candidates: ${shown.join(', ')}${candidates.length > shown.length ? ', …' : ''}`,
  });
}
