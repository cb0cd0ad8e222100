export { listAgents, loadAgent } from './agents.js';
export type { LoadedAgent } from './agents.js';
export { ConfigError } from './config-error.js';
export { configEntries, type ConfigEntry, taskIds } from './config-entries.js';
export { fileDigest, folderFiles, hashFolder } from './folder-hash.js';
export { freezeTask } from './freeze-task.js';
export { missingKeys, missingKeysError } from './missing-keys.js';
export { modelVariables } from './model-variables.js';
export { listModels, resolveModels } from './models.js';
export type { ListedModel } from './models.js';
export {
  attachData,
  type DataManifest,
  dataVersion,
  findPrepared,
  MANIFEST,
  prepareCommand,
  withData,
} from './prepared-data.js';
export { archiveTask, dataOfFrozen, restoreTask } from './task-archive.js';
export { underProfile } from './profiles.js';
export { loadRecording } from './recordings.js';
export { brokenSuites, selectTaskIds, selectTasks } from './suites.js';
export { listTasks, loadTask, loadTaskFolder } from './tasks.js';
export { readYaml } from './yaml-file.js';
export { validateFolders, validatePath } from './validate-paths.js';
