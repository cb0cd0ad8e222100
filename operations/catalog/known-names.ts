import { configEntries, listModels, taskIds } from '../../catalog/index.js';
import type { BenchSettings } from '../settings.js';

export type NamedKind = 'model' | 'task' | 'suite' | 'agent';

/** Names of one kind in this home's configurations, sorted as listed, broken files included. */
export function knownNames({ configFolders }: Pick<BenchSettings, 'configFolders'>, kind: NamedKind): string[] {
  switch (kind) {
    case 'model':
      return listModels(configFolders, new Date()).models.flatMap(({ name, aliases }) => [name, ...aliases]);
    case 'task':
      return taskIds(configFolders);
    case 'suite':
    case 'agent':
      return configEntries(configFolders, `${kind}s`).map(({ name }) => name);
  }
}
