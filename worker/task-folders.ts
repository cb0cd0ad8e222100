import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFolder, restoreTask } from '../catalog/index.js';
import { BenchError } from '../domain/errors.js';
import type { HomeLayout } from '../domain/home/layout.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { TaskArchives } from '../domain/ports/record/task-archives.js';
import type { RunDefinition } from '../domain/run/run.js';

export interface TaskFolderParts {
  layout: HomeLayout;
  configFolders: readonly string[];
  store: Pick<TaskArchives, 'taskArchive'>;
  artifacts: Pick<ArtifactStore, 'open' | 'check' | 'discard'>;
}

/** The frozen copy, a configured folder with its hash, or the artifact store's copy, kept here. */
export function taskFolders({
  layout,
  configFolders,
  store,
  artifacts,
}: TaskFolderParts): (run: Pick<RunDefinition, 'task' | 'taskHash'>) => Promise<string> {
  const fetchOnce = async (id: string, hash: string, archive: string): Promise<string> => {
    const opened: string[] = [];
    const open = ({ sha256 }: { sha256: string }) => {
      opened.push(sha256);
      return artifacts.open(sha256);
    };
    try {
      return await restoreTask(layout, { id, hash }, open({ sha256: archive }), open);
    } catch (error) {
      // The next submission, or another host that has the task, stores them again.
      for (const sha256 of opened) if ((await artifacts.check(sha256)) === null) await artifacts.discard(sha256);
      throw error;
    }
  };
  const fetched = new Map<string, Promise<string>>();
  const fetch = (id: string, hash: string, archive: string): Promise<string> => {
    const fetching = fetched.get(hash) ?? fetchOnce(id, hash, archive).finally(() => fetched.delete(hash));
    fetched.set(hash, fetching);
    return fetching;
  };
  return async (run) => {
    const frozen = layout.frozenTask(run.taskHash);
    if (await exists(frozen)) return frozen;
    const configured = configFolders.map((folder) => join(folder, 'tasks', run.task.id));
    for (const folder of configured) if ((await exists(folder)) && hashFolder(folder) === run.taskHash) return folder;
    const archive = await store.taskArchive(run.taskHash);
    if (archive !== null) return await fetch(run.task.id, run.taskHash, archive);
    throw new BenchError(
      'usage',
      `Task ${run.task.id} is missing on this host in the submitted version (content ${run.taskHash.slice(0, 12)}).`,
      {
        code: 'task.unavailable',
        remedy: `Give all hosts one BENCH_ARTIFACTS, then submit again; or copy ${frozen} from the home that submitted it, or put the same folder at ${configured.join(' or ')}.`,
      },
    );
  };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
