export { listAgents, loadAgent } from './agents.js';
export type { LoadedAgent } from './agents.js';
export { loadBatchFile } from './batch-file.js';
export { ConfigError } from './config-error.js';
export { taskIds, yamlNames } from './config-names.js';
export { fileDigest, folderFiles, hashFolder } from './folder-hash.js';
export { freezeTask } from './freeze-task.js';
export { missingKeys, missingKeysError } from './missing-keys.js';
export type { MissingKey } from './missing-keys.js';
export { listModelConfigs, loadModelFile } from './model-configs.js';
export type { LoadedModel } from './model-configs.js';
export { modelVariables } from './model-variables.js';
export type { ModelVariables } from './model-variables.js';
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
export { underProfile } from './profiles.js';
export { loadRecording, REPLAY_PREFIX } from './recordings.js';
export { selectTasks } from './suites.js';
export { listTasks, loadTask } from './tasks.js';
export { readYaml } from './yaml-file.js';
export { validatePath } from './validate-paths.js';
