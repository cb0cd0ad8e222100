import type { PreparedTask as PreparedTaskView } from '../../../domain/views/tasks.js';
import { findPrepared } from '../../../catalog/index.js';
import { BenchError, type RemedyFields } from '../../../domain/errors.js';
import type { HomeLayout } from '../../../domain/home/layout.js';
import { checkedRequest } from '../../../domain/requests/checked.js';
import { type PrepareTasksRequest, prepareTasksRequestSchema } from '../../../domain/requests/tasks.js';
import type { TaskFolder } from '../../../domain/task/task.js';
import type { BenchSettings } from '../../settings.js';
import { namedTasks, type NamedTasksPorts } from '../named-tasks.js';
import { debianMirror } from './debian-mirror.js';
import { missingBytes } from './download.js';
import { prepareTask } from './prepare-task.js';

export type PrepareTasksPorts = NamedTasksPorts & {
  settings: Pick<BenchSettings, 'layout' | 'assetsRoot' | 'env'>;
};

export type PrepareProgress =
  /** Comes first, if there is anything to fetch: bytes by source. */
  | { kind: 'to_fetch'; sizes: ReadonlyMap<string, number>; into: string }
  | { kind: 'preparing'; task: string }
  /** Bytes of a source so far, and its total if known. */
  | { kind: 'fetched'; task: string; source: string; bytes: number; total: number | null }
  | { kind: 'line'; task: string; line: string }
  | { kind: 'over'; task: string };

/** With an error's remedy, and the options that it names. */
export interface PreparedTask extends PreparedTaskView {
  remedy?: string | undefined;
  fields?: RemedyFields;
}

/** Keeps data that exist. A failing task does not stop the others. */
export async function prepareTasks(
  ports: PrepareTasksPorts,
  input: PrepareTasksRequest,
  { signal, onProgress }: { signal?: AbortSignal | undefined; onProgress: (progress: PrepareProgress) => void },
): Promise<PreparedTask[]> {
  const { layout, assetsRoot, env } = ports.settings;
  const request = checkedRequest(prepareTasksRequestSchema, input);
  const { sample, force, dryRun, from, data } = request;
  const tasks = namedTasks(ports, request);
  const open = tasks.filter(
    (task) => task.spec.data !== undefined && (force || findPreparedOrNull(layout, task, sample) === null),
  );
  const sizes =
    sample || from !== undefined || data !== undefined ? new Map<string, number>() : await toFetch(layout, open);
  if (sizes.size > 0) onProgress({ kind: 'to_fetch', sizes, into: layout.downloads });
  const rows: PreparedTask[] = [];
  for (const folder of tasks) {
    const task = folder.spec.id;
    const nothing = { task, bytes: null, hash: null, dir: null, error: null };
    if (folder.spec.data === undefined) rows.push({ ...nothing, data: 'none' });
    else if (dryRun && open.includes(folder)) rows.push({ ...nothing, data: 'missing' });
    else {
      const { sources } = folder.spec.data;
      try {
        if (open.includes(folder)) onProgress({ kind: 'preparing', task });
        const { hash, dir, files } = await prepareTask(folder, {
          ...{ layout, assetsRoot, sample, signal, from, data },
          debianMirror: sample ? null : debianMirror(env),
          force: force && !dryRun,
          onProgress: (source, bytes) => {
            const total = sources.find(({ name }) => name === source)?.bytes ?? null;
            onProgress({ kind: 'fetched', task, source, bytes, total });
          },
          onLine: (line) => onProgress({ kind: 'line', task, line }),
        });
        const bytes = files.reduce((total, file) => total + file.bytes, 0);
        rows.push({ ...nothing, data: sample ? 'sample' : 'real', bytes, hash, dir });
      } catch (error) {
        // The others are still available.
        if (!(error instanceof BenchError)) throw error;
        const { message, remedy, fields } = error;
        rows.push({ ...nothing, data: 'failed', error: message, remedy, fields });
      } finally {
        onProgress({ kind: 'over', task });
      }
    }
  }
  return rows;
}

/** Bytes to fetch, each source once. */
async function toFetch(layout: HomeLayout, tasks: readonly TaskFolder[]): Promise<Map<string, number>> {
  const sources = new Map(tasks.flatMap(({ spec }) => spec.data?.sources ?? []).map((one) => [one.sha256, one]));
  const sizes = new Map<string, number>();
  for (const source of sources.values()) {
    const bytes = await missingBytes(layout, source);
    if (bytes > 0) sizes.set(source.name, bytes);
  }
  return sizes;
}

/** Only force prepares changed data again; otherwise reading them reports the problem. */
function findPreparedOrNull(layout: HomeLayout, task: TaskFolder, sample: boolean) {
  try {
    return findPrepared(layout, task, sample);
  } catch (error) {
    if (error instanceof BenchError) return null;
    throw error;
  }
}
