import type { RunStore } from '../../../domain/ports/run-store.js';
import type { Statements } from '../../statements.js';
import { startBatch, batchState, finishBatch } from './batches.js';
import { finishRun, finishRuns } from './finish-runs.js';
import { setStatus, sandboxStarted, workspaceOf, runEnded, runStates } from './runs.js';

type Lifecycle = Pick<
  RunStore,
  | 'setStatus'
  | 'sandboxStarted'
  | 'workspace'
  | 'finishRun'
  | 'finishRuns'
  | 'runEnded'
  | 'runStates'
  | 'startBatch'
  | 'batchState'
  | 'finishBatch'
>;

/** Never changes ended runs and batches. */
export const lifecycleStore = (run: Statements): Lifecycle => ({
  setStatus: (runId, status) => setStatus(run, runId, status),
  sandboxStarted: (runId, at) => sandboxStarted(run, runId, at),
  workspace: (runId) => workspaceOf(run, runId),
  finishRun: (runId, end) => finishRun(run, runId, end),
  finishRuns: (runIds, end) => finishRuns(run, runIds, end),
  runEnded: (runId) => runEnded(run, runId),
  runStates: (runIds) => runStates(run, runIds),
  startBatch: (batchId) => startBatch(run, batchId),
  batchState: (batchId) => batchState(run, batchId),
  finishBatch: (batchId, status) => finishBatch(run, batchId, status),
});
