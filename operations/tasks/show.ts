import { loadTask } from '../../catalog/index.js';
import type { TaskFolder } from '../../domain/task/task.js';
import type { BenchSettings } from '../settings.js';

/** BenchError (usage): the task is unknown or broken. */
export const showTask = ({ settings }: { settings: Pick<BenchSettings, 'configFolders'> }, id: string): TaskFolder =>
  loadTask(settings.configFolders, id);
