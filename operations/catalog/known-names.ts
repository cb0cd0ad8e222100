import { join } from 'node:path';
import { listModels, taskIds, yamlNames } from '../../catalog/index.js';
import type { BenchSettings } from '../settings.js';

export type NamedKind = 'model' | 'task' | 'suite' | 'agent';

/** Names of one kind that this home's configurations know, sorted as they are listed; broken files count too. */
export function knownNames({ configsDir }: Pick<BenchSettings, 'configsDir'>, kind: NamedKind): string[] {
  switch (kind) {
    case 'model':
      return listModels(configsDir, new Date()).flatMap(({ name, aliases }) => [name, ...aliases]);
    case 'task':
      return taskIds(configsDir);
    case 'suite':
      return yamlNames(join(configsDir, 'suites'));
    case 'agent':
      return yamlNames(join(configsDir, 'agents'));
  }
}
