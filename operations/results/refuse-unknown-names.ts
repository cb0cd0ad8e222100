import { BenchError } from '../../domain/errors.js';
import { parseScriptedPolicy } from '../../domain/model/scripted-policies.js';
import { closest } from '../../domain/text/closest.js';
import { listModels, taskIds } from '../../catalog/index.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { BenchSettings } from '../settings.js';

const SHOWN = 20;

export interface NamePorts {
  queries: Pick<RunReads, 'playedNames'>;
  settings: Pick<BenchSettings, 'configFolders'>;
}

function refuse(what: 'model' | 'task', name: string, known: readonly string[], list: string): never {
  const near = closest(name, known);
  const shown = known.slice(0, SHOWN);
  const more = known.length > shown.length ? `, … (see \`${list}\`)` : '';
  throw new BenchError('usage', `no ${what} ${JSON.stringify(name)}, and no run of one`, {
    code: `${what}.not_found`,
    remedy:
      known.length === 0
        ? 'There are none.'
        : `${near === null ? '' : `Did you mean ${near}? `}Known: ${shown.join(', ')}${more}.`,
  });
}

const isScripted = (name: string): boolean =>
  name.startsWith('scripted:') && parseScriptedPolicy(name.slice('scripted:'.length)) !== null;

/**
 * Otherwise a typing error would return an empty list. Known are names with runs and those that
 * this home can play; tasks also as `id@contract`. BenchError (usage) with the nearest name.
 */
export async function refuseUnknownNames(
  { queries, settings: { configFolders } }: NamePorts,
  { models = [], tasks = [] }: { models?: readonly string[] | undefined; tasks?: readonly string[] | undefined },
): Promise<void> {
  if (models.length + tasks.length === 0) return;
  const played = await queries.playedNames();
  const model = models.find((name) => !played.models.includes(name) && !isScripted(name));
  if (model !== undefined) {
    const listed = listModels(configFolders, new Date()).models.flatMap(({ name, aliases }) => [name, ...aliases]);
    const strange = models.find((name) => ![...played.models, ...listed].includes(name) && !isScripted(name));
    if (strange !== undefined) refuse('model', strange, [...new Set([...played.models, ...listed])], 'bench models');
  }
  const idOf = (name: string): string => name.replace(/@\d+$/, '');
  const task = tasks.find((name) => !played.tasks.includes(idOf(name)));
  if (task !== undefined) {
    const listed = taskIds(configFolders);
    const strange = tasks.find((name) => ![...played.tasks, ...listed].includes(idOf(name)));
    if (strange !== undefined) refuse('task', strange, [...new Set([...played.tasks, ...listed])], 'bench tasks');
  }
}
