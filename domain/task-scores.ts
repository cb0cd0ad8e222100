import type { Metrics } from './score.js';
import type { TaskSpec } from './task.js';

/** A metric beyond its declared bounds: impossible for an honest submission. Kept, marked, out of the strict ranking. */
export function isSuspect(task: Pick<TaskSpec, 'metrics'>, metrics: Metrics): boolean {
  return Object.entries(metrics).some(([name, value]) => {
    const bounds = task.metrics[name]?.bounds;
    return (bounds?.min !== undefined && value < bounds.min) || (bounds?.max !== undefined && value > bounds.max);
  });
}
