import type { Backend } from '../run/run.js';
import type { TaskSpec } from './task.js';

/** For people: what this backend cannot provide for a task; null: nothing. */
export function unmetNeed(
  task: Pick<TaskSpec, 'id' | 'network' | 'requirements'> & Partial<Pick<TaskSpec, 'evaluator'>>,
  backend: Backend,
): string | null {
  if (backend !== 'local') return null;
  if (task.evaluator?.kind === 'harbor')
    return `task ${task.id} has an image of its own (environment/), which needs a container engine`;
  if (task.evaluator?.gpu === true)
    return `task ${task.id} is scored on a GPU (evaluator.gpu), which needs a container engine`;
  if (typeof task.network !== 'string')
    return `task ${task.id} allows its agent ${task.network.allow.join(', ')} and nothing else, which needs a container engine`;
  const { agent, evaluator, apt = [], optional = false } = task.requirements ?? {};
  if (optional) return null;
  const needs = [agent, evaluator].filter((file) => file !== undefined);
  if (needs.length + apt.length > 0)
    return `task ${task.id} requires packages (${[...new Set(needs), ...apt].join(', ')}), which are installed into images and need a container engine`;
  return null;
}
