import { loadTask, taskIds } from '../../catalog/index.js';
import { BenchError } from '../../domain/errors.js';
import { statedBaseline } from '../../domain/task-baseline.js';
import type { ListedTask } from '../../domain/views/catalog.js';
import type { BenchSettings } from '../settings.js';

function listed(configsDir: string, id: string): ListedTask {
  try {
    const { spec, contentHash } = loadTask(configsDir, id);
    const direction = spec.metrics[spec.primary]?.direction ?? null;
    const { name, domain, contract, primary, gpus } = spec;
    return {
      id,
      name,
      domain,
      contract,
      primary,
      direction,
      baseline: statedBaseline(spec)?.value ?? null,
      gpus,
      contentHash,
      error: null,
    };
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    const nothing = {
      name: null,
      domain: null,
      contract: null,
      primary: null,
      direction: null,
      baseline: null,
      gpus: null,
    };
    return { id, ...nothing, contentHash: null, error: error.message };
  }
}

/** All tasks, broken ones too. */
export const listTasks = ({ settings }: { settings: BenchSettings }): ListedTask[] =>
  taskIds(settings.configsDir).map((id) => listed(settings.configsDir, id));
