import type { ModelRef } from '../../domain/model/model.js';
import type { TaskFolder } from '../../domain/task/task.js';
import { groupSchema, type GroupRequest } from '../../domain/requests/run-options.js';
import type { LoadedAgent } from '../../catalog/index.js';
import type { LoadedGroup } from '../../operations/batches/batch-plan.js';

export const loadedGroup = (
  { models, tasks, agent }: { models: ModelRef[]; tasks: TaskFolder[]; agent: LoadedAgent },
  options: Partial<GroupRequest> = {},
): LoadedGroup => ({
  ...groupSchema.parse({ models: ['any'], tasks: ['any'], ...options }),
  modelRefs: models,
  taskFolders: tasks,
  loadedAgent: agent,
  skipped: [],
});
