import { dialectEnvironment } from '../agent/dialect.js';
import type { RunDefinition } from '../run/run.js';

/**
 * What a warm sandbox must share with the run's own; null: part of the sandbox is known only when
 * the run begins, so none is started ahead.
 */
export function warmKey(run: RunDefinition): string | null {
  const { backend, gpus, memory, forkedFrom, task, taskHash, agent } = run;
  if (backend === 'local' || gpus > 0 || memory === true || forkedFrom !== undefined || task.network !== 'none')
    return null;
  const { memoryMb, cpus, pids, workspaceMb } = task.limits;
  const environment = Object.entries({
    ...agent.tools.environment,
    ...dialectEnvironment(agent.tools.dialect),
  }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([backend, taskHash, memoryMb, cpus, pids, workspaceMb ?? null, environment]);
}
