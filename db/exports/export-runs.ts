import type { Exports, LogRun } from '../../domain/ports/exports.js';
import type pg from 'pg';
import { queryError } from '../database-error.js';
import { statements } from '../statements.js';
import { episodeRecords } from './episode-records.js';
import { startLine } from './import-line.js';
import { runLine } from './run-line.js';
import { openRunRecord } from './run-record.js';

export function createExports(pool: pg.Pool): Exports {
  const run = statements(pool, queryError);
  return {
    async runIds(batchId) {
      const rows = await run<{ id: string }>(
        'runIds',
        'select run_id as id from runs where batch_id = $1 order by ordinal',
        [batchId],
      );
      return rows.map(({ id }) => id);
    },
    async logRuns(runIds) {
      const rows = await run<Omit<LogRun, 'createdAt'> & { createdAt: Date }>(
        'logRuns',
        `select run_id as "runId", batch_id as "batchId", task_id as task, agent_name as agent, model_name as model, attempt, created_at as "createdAt"
         from runs where run_id = any ($1) order by batch_id, ordinal`,
        [runIds],
      );
      return rows.map(({ createdAt, ...row }) => ({ ...row, createdAt: createdAt.toISOString() }));
    },
    line: (runId) => runLine(pool, runId),
    record: (runId) => openRunRecord(pool, runId),
    episodes: (wanted) => episodeRecords(pool, wanted),
    startLine: () => startLine(pool),
  };
}
