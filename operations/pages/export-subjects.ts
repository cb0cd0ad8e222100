import { BenchError } from '../../domain/errors.js';
import { ALL_BATCHES } from '../../domain/requests/fields.js';
import type { Comparisons } from '../../domain/ports/comparisons.js';
import type { BatchPages } from '../../domain/ports/reading/batch-pages.js';
import type { LeaderboardReads } from '../../domain/ports/reading/leaderboards.js';
import type { RunPages } from '../../domain/ports/reading/run-pages.js';
import type { BatchRow } from '../../domain/views/batch-pages.js';
import type { RunRow } from '../../domain/views/run-page.js';
import { type FindPorts, findRunOrBatch } from '../results/find-run-or-batch.js';
import { leaderboard, type LeaderboardPorts } from '../results/leaderboard.js';

export type ExportSubjectPorts = FindPorts &
  LeaderboardPorts & {
    comparisons: Pick<Comparisons, 'list'>;
    pages: Pick<BatchPages, 'batchPage' | 'batchRows'> & Pick<RunPages, 'runPage' | 'runRows'>;
    queries: Pick<LeaderboardReads, 'leaderboardRuns'>;
  };

export interface ExportSubjects {
  batches: BatchRow[];
  runs: RunRow[];
  /** The request of its leaderboard; null: these runs have none of their own. */
  leaderboard: { batch?: string; view?: string } | null;
  comparison: string | null;
}

const PAGE = 1000;

/** Batches, runs, a saved comparison with its runs, or everything. BenchError: not found. */
export async function exportSubjects(
  ports: ExportSubjectPorts,
  { what, all }: { what: readonly string[]; all: boolean },
): Promise<ExportSubjects> {
  if (all === what.length > 0)
    throw new BenchError('usage', all ? 'names and everything exclude each other' : 'nothing to export is given', {
      remedy: 'Name batches, runs or a comparison, or ask for everything.',
      fields: { all: true },
    });
  const { comparisons, pages, queries } = ports;
  if (all) return { ...(await everything(pages)), leaderboard: { batch: ALL_BATCHES }, comparison: null };
  const saved = (await comparisons.list()).find(({ name }) => name === what[0]);
  if (saved !== undefined && what.length === 1) {
    const board = await leaderboard(ports, { view: saved.name }, { intervals: false });
    const runs = await queries.leaderboardRuns(board);
    const rows = await pages.runRows(runs.map(({ runId }) => runId));
    return { batches: [], runs: rows, leaderboard: { view: saved.name }, comparison: saved.name };
  }
  const [runs, batchIds] = [new Map<string, RunRow>(), new Set<string>()];
  for (const ref of what) {
    const found = await findRunOrBatch(ports, ref);
    if (found.kind === 'batch') batchIds.add(found.batch.batchId);
    else for (const row of await pages.runRows([found.run.runId])) runs.set(row.runId, row);
  }
  const [only] = batchIds;
  const isOneBatch = batchIds.size === 1 && runs.size === 0;
  for (const batchId of batchIds) for (const row of await runsOf(pages, { batch: [batchId] })) runs.set(row.runId, row);
  return {
    batches: await pages.batchRows([...batchIds]),
    runs: [...runs.values()],
    leaderboard: isOneBatch ? { batch: only! } : null,
    comparison: null,
  };
}

async function runsOf(pages: Pick<RunPages, 'runPage'>, filter: { batch?: string[] }): Promise<RunRow[]> {
  const rows: RunRow[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = await pages.runPage({ ...filter, sort: 'createdAt', limit: PAGE, after });
    rows.push(...page.runs);
    after = page.next;
  }
  return rows;
}

async function everything(
  pages: Pick<BatchPages, 'batchPage'> & Pick<RunPages, 'runPage'>,
): Promise<Pick<ExportSubjects, 'batches' | 'runs'>> {
  const batches: BatchRow[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = await pages.batchPage({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    batches.push(...page.batches);
    after = page.next;
  }
  return { batches, runs: await runsOf(pages, {}) };
}
