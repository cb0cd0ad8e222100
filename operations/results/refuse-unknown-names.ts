import type { Database } from '../../db/index.js';
import { BenchError } from '../../domain/errors.js';
import { parseScriptedPolicy } from '../../domain/scripted-policies.js';
import { closest } from '../../domain/closest.js';
import { type ConfigFolders, listModels, taskIds } from '../../catalog/index.js';

const SHOWN = 20;

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
 * A slip of the keyboard would else be an empty answer. Known is what has runs, and what could be played here: such a name may have
 * no runs yet. Of tasks `id@contract` too. BenchError (usage) with the nearest name.
 */
export async function refuseUnknownNames(
  { queries }: Pick<Database, 'queries'>,
  configFolders: ConfigFolders,
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
