import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from '../domain/errors.js';
import type { HomeLayout } from '../domain/home-layout.js';
import type { RunDefinition } from '../domain/run.js';
import { hashFolder } from '../catalog/index.js';

/** The task as it was when the run was submitted: the frozen copy, else a configured folder whose hash is the same. */
export function taskFolders(
  layout: HomeLayout,
  configFolders: readonly string[],
): (run: Pick<RunDefinition, 'task' | 'taskHash'>) => Promise<string> {
  return async (run) => {
    const frozen = layout.frozenTask(run.taskHash);
    if (await exists(frozen)) return frozen;
    const configured = configFolders.map((folder) => join(folder, 'tasks', run.task.id));
    for (const folder of configured) if ((await exists(folder)) && hashFolder(folder) === run.taskHash) return folder;
    throw new BenchError(
      'usage',
      `Task ${run.task.id} is missing on this host in the submitted version (content ${run.taskHash.slice(0, 12)}).`,
      {
        code: 'task.unavailable',
        remedy: `Put the same folder at ${configured.join(' or ')}, or copy ${frozen} from the home that submitted it.`,
      },
    );
  };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
