import { BenchError } from '../../domain/errors.js';
import type { ForecastReads } from '../../domain/ports/reading/forecasts.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { statedBaseline } from '../../domain/task/baseline.js';

export interface BaselinePorts {
  queries: Pick<ForecastReads, 'measuredBaselines'>;
}

/**
 * Every reward is measured from the task's baseline. Throws BenchError (usage) that names tasks
 * without a stated or measured one.
 */
export async function requireBaselines(
  { queries }: BaselinePorts,
  runs: readonly Pick<RunDefinition, 'task' | 'taskHash'>[],
  reward: Record<string, unknown>,
): Promise<void> {
  const unstated = runs.filter(({ task }) => statedBaseline(task) === null);
  if (unstated.length === 0) return;
  const measured = await queries.measuredBaselines(unstated.map(({ taskHash }) => taskHash));
  const missing = unstated.filter(({ taskHash }) => !measured.includes(taskHash)).map(({ task }) => task.id);
  if (missing.length === 0) return;
  const [tasks, verb, which] = missing.length === 1 ? ['task', 'has', 'it'] : ['tasks', 'have', 'them'];
  const mode = typeof reward['mode'] === 'string' ? reward['mode'] : 'delta_prev';
  throw new BenchError(
    'usage',
    `${tasks} ${missing.join(', ')} ${verb} no baseline, from which mode ${mode} measures: every reward would be null`,
    {
      remedy: `Measure the starter by a run of scripted:baseline on ${missing.join(', ')}, state baseline in task.yaml, or omit ${which}.`,
    },
  );
}
