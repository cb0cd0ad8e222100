import type pg from 'pg';
import type { RunStore } from '../domain/ports/run-store.js';
import { storeError } from './database-error.js';
import { preparedStatements, statements } from './statements.js';
import { allocationStore } from './store/allocation.js';
import { definitionStore } from './store/definitions.js';
import { evaluationStore } from './store/evaluations/index.js';
import { hiddenEvaluationStore } from './store/hidden-evaluations.js';
import { eventStore } from './store/events.js';
import { hostStore } from './store/hosts/index.js';
import { imageStore } from './store/images.js';
import { liveOutputStore } from './store/live-outputs.js';
import { leaseStore } from './store/leases.js';
import { lifecycleStore } from './store/lifecycle/index.js';
import { memoryStore } from './store/memories.js';
import { modelCallStore } from './store/model-calls/index.js';
import { placementStore } from './store/placement.js';
import { programStore } from './store/program-steps/index.js';
import { snapshotStore } from './store/snapshots/index.js';
import { stepStore } from './store/steps/index.js';
import { toolStore } from './store/tool-log.js';
import { taskArchiveStore } from './store/task-archives.js';
import { unfinishedWorkStore } from './store/unfinished-work.js';
import { warmSandboxStore } from './store/warm-sandboxes.js';
import { treeStore } from './store/trees.js';
import { submissionStore } from './store/submissions.js';

/** Each method is one statement or transaction; its errors contain no parameters. */
export function createRunStore(pool: pg.Pool): RunStore {
  const run = statements(pool, storeError);
  const atEachStep = preparedStatements(pool, storeError);
  return {
    ...definitionStore(atEachStep),
    ...lifecycleStore(atEachStep),
    ...allocationStore(pool),
    ...stepStore(atEachStep),
    ...programStore(run),
    ...snapshotStore(run),
    ...imageStore(run),
    ...memoryStore(run),
    ...modelCallStore(atEachStep),
    ...submissionStore(run),
    ...evaluationStore(run),
    ...hiddenEvaluationStore(run),
    ...eventStore(run),
    ...hostStore(run),
    ...leaseStore(run),
    ...liveOutputStore(run),
    ...placementStore(pool),
    ...taskArchiveStore(run),
    ...toolStore(run),
    ...unfinishedWorkStore(run),
    ...warmSandboxStore(run),
    ...treeStore(pool),
  };
}
