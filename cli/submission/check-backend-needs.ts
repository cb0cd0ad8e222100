import { unmetNeed } from '../../domain/backend-needs.js';
import { BenchError } from '../../domain/errors.js';
import type { Backend } from '../../domain/run.js';
import type { TaskFolder } from '../../domain/task.js';

/** Refuse tasks that cannot be played on the batch's backend. */
export function checkBackendNeeds(tasks: readonly TaskFolder[], backend: Backend): void {
  const unmet = tasks.map((task) => unmetNeed(task.spec, backend)).filter((need) => need !== null);
  if (unmet.length === 0) return;
  throw new BenchError('usage', unmet.join('\n'), {
    remedy: 'Use --backend docker or podman (`bench doctor` says what is missing), or leave these tasks out.',
  });
}
