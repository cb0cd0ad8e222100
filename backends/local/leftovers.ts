import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { HomeLayout } from '../../domain/home/layout.js';
import { isRunId } from '../../domain/ids.js';
import type { Leftover, LeftoversPort } from '../../domain/ports/leftovers-port.js';
import { unmountDisk } from '../docker/workspace-disk.js';
import { isAbandoned } from '../mark.js';
import { removeTree } from './end-run.js';
import { NOTE_SUFFIX, noteOfFolder, removeScratchFolder } from './scratch-folder.js';

export const EVALUATION_FOLDER = 'bench-eval-';

export function createHostLeftovers({ layout }: { layout: HomeLayout }): LeftoversPort {
  return {
    find: async () => [
      ...(await scratchFolders(layout)),
      // Mounts first, so that their content is not deleted file by file.
      ...(await mounts(layout)),
      ...(await runFolders(layout)),
    ],
  };
}

/** Folders of local evaluations: below the home, or in a shared temporary directory. */
async function scratchFolders(layout: HomeLayout): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const parent of [layout.scratch, tmpdir()]) {
    const names = (await readdir(parent).catch(() => [])).filter((name) => name.startsWith(EVALUATION_FOLDER));
    for (const name of new Set(names.map((each) => each.replace(NOTE_SUFFIX, '')))) {
      const dir = join(parent, name);
      const note = await noteOfFolder(dir);
      if (note === 'gone') continue;
      if (note?.home !== layout.home && (note !== null || parent !== layout.scratch)) continue;
      const runId = name.slice(EVALUATION_FOLDER.length, EVALUATION_FOLDER.length + 28);
      found.push({
        what: 'folder',
        name: dir,
        runId: isRunId(runId) ? runId : null,
        epoch: null,
        abandoned: note === null || (await isAbandoned(note)),
        remove: async () => {
          // Its evaluation may have restarted meanwhile.
          const now = await noteOfFolder(dir);
          if (now === 'gone' || now?.maker !== note?.maker) return false;
          await removeScratchFolder(dir);
          return true;
        },
      });
    }
  }
  return found;
}

async function mounts(layout: HomeLayout): Promise<Leftover[]> {
  const table = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const found: Leftover[] = [];
  for (const line of table.split('\n')) {
    const at = (line.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, code: string) =>
      String.fromCharCode(parseInt(code, 8)),
    );
    const ref = at.startsWith(`${layout.runs}/`) ? refOf(at.slice(layout.runs.length + 1)) : null;
    // A sandbox's mount is removed with it.
    if (ref === null || existsSync(join(layout.run(ref.runId, ref.epoch).control, 'backend'))) continue;
    found.push({ what: 'mount', name: at, ...ref, abandoned: false, remove: () => unmountDisk(dirname(at)) });
  }
  return found;
}

/** Of containers not yet, or no longer, listed as sandboxes. */
async function runFolders(layout: HomeLayout): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const runId of await readdir(layout.runs).catch(() => [])) {
    if (!isRunId(runId)) continue;
    const names = await readdir(join(layout.runs, runId)).catch(() => []);
    const remove = () =>
      rmdir(join(layout.runs, runId)).then(
        () => true,
        () => false,
      );
    if (names.length === 0)
      found.push({ what: 'folder', name: join(layout.runs, runId), runId, epoch: null, abandoned: false, remove });
    for (const name of names) {
      const ref = refOf(`${runId}/${name}`);
      if (ref === null) continue;
      const { dir, control } = layout.run(runId, ref.epoch);
      // A sandbox: it is stopped, not removed.
      if (existsSync(join(control, 'backend')) || !(await lstat(dir)).isDirectory()) continue;
      found.push({
        ...{ what: 'folder', name: dir, ...ref, abandoned: false },
        remove: async () => {
          await unmountDisk(dir);
          await removeTree(dir);
          await remove();
          return true;
        },
      });
    }
  }
  return found;
}

function refOf(below: string): { runId: string; epoch: number } | null {
  const [runId = '', name = ''] = below.split('/');
  const epoch = /^epoch-(\d+)$/.exec(name)?.[1];
  return isRunId(runId) && epoch !== undefined ? { runId, epoch: Number(epoch) } : null;
}
