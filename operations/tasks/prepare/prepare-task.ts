import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { findPython } from '../../../backends/local/find-python.js';
import { BenchError } from '../../../domain/errors.js';
import type { HomeLayout } from '../../../domain/home/layout.js';
import type { PreparedData, PreparedFile, TaskData } from '../../../domain/task/data.js';
import type { TaskFolder } from '../../../domain/task/task.js';
import {
  type DataManifest,
  dataVersion,
  fileDigest,
  findPrepared,
  folderFiles,
  MANIFEST,
} from '../../../catalog/index.js';
import { download, type DownloadOptions } from './download.js';
import { offlineSources } from './offline-source.js';
import { makeFolder } from '../../../services/make-folder.js';

export interface PrepareOptions extends Omit<DownloadOptions, 'onProgress' | 'place'> {
  layout: HomeLayout;
  /** A folder that has all sources, so that nothing is fetched. */
  data?: string | undefined;
  /** The folder that contains `datasets/`. */
  assetsRoot: string;
  /** A stand-in of the same form, without the sources. */
  sample: boolean;
  force?: boolean;
  /** Bytes fetched so far, by source. */
  onProgress?: (source: string, bytes: number) => void;
  /** A line of prepare.py's output. */
  onLine?: (line: string) => void;
}

/**
 * Fetches sources, runs prepare.py, looks for leaks, and moves the data into place in one step: an
 * interruption leaves nothing that passes for prepared data. Throws BenchError.
 */
export async function prepareTask(task: TaskFolder, options: PrepareOptions): Promise<PreparedData> {
  const { layout, sample } = options;
  const data = task.spec.data;
  if (data === undefined) throw new Error(`task ${task.spec.id} has no data`);
  const known = options.force === true ? null : findPrepared(layout, task, sample);
  if (known !== null) return known;
  const place = layout.preparedData(task.spec.id, dataVersion(task), sample);
  const aside = join(dirname(place), `.${randomBytes(6).toString('hex')}.tmp`);
  const sources = sample ? [] : await fetchSources(data, options);
  try {
    for (const folder of ['agent', 'hidden']) makeFolder(join(aside, folder));
    // It contains labels: only the owner may read it.
    await chmod(aside, 0o700);
    await runPrepare(task, data, sources, aside, options);
    const files = await madeFiles(task, data, aside);
    const manifest: DataManifest = {
      schema: 1,
      task: task.spec.id,
      version: dataVersion(task),
      sample,
      preparedAt: new Date().toISOString(),
      sources: sample ? [] : data.sources.map(({ name, sha256, licence }) => ({ name, sha256, licence })),
      files,
    };
    await writeFile(join(aside, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    if (options.force === true || !existsSync(join(place, MANIFEST))) await rm(place, { recursive: true, force: true });
    await rename(aside, place).catch((error: unknown) => {
      // Another process was faster and made the same.
      if (!existsSync(join(place, MANIFEST))) throw error;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  const made = findPrepared(layout, task, sample);
  if (made === null) throw new BenchError('failed', `the data of task ${task.spec.id} vanished from ${place}`);
  return made;
}

async function fetchSources({ sources }: TaskData, options: PrepareOptions): Promise<[string, string][]> {
  const offline = options.data === undefined ? null : offlineSources(options.data, sources);
  const places: [string, string][] = [];
  for (const source of sources) {
    const onProgress = (bytes: number): void => options.onProgress?.(source.name, bytes);
    const place = offline?.get(source.name);
    places.push([source.name, await download(options.layout, source, { ...options, place, onProgress })]);
  }
  return places;
}

/**
 * prepare.py runs outside a container: like the evaluator it is the author's code, and it needs
 * only Python's standard library, so no image or engine. Randomness and hashes are fixed.
 */
async function runPrepare(
  task: TaskFolder,
  data: TaskData,
  sources: readonly [string, string][],
  into: string,
  options: PrepareOptions,
): Promise<void> {
  const { leaks } = await datasetProgram([], options, data.prepareSeconds, `task ${task.spec.id}: prepare.py`, {
    task: task.spec.id,
    sample: options.sample,
    prepare: join(task.dir, 'prepare.py'),
    sources: Object.fromEntries(sources),
    agent: join(into, 'agent'),
    hidden: join(into, 'hidden'),
    agentFolders: [join(task.dir, 'starter'), join(into, 'agent')],
    hiddenFolders: [join(task.dir, 'evaluator'), join(into, 'hidden')],
  });
  if (leaks.length > 0)
    throw new BenchError('failed', `task ${task.spec.id} shows agents hidden data: ${leaks.join('; ')}`, {
      code: 'task.data_leak',
      remedy: `Nothing was kept. Change what ${join(task.dir, 'prepare.py')} writes.`,
    });
}

/** Secrets of the evaluator that agents could see, a sentence each. */
export async function findLeaks(
  agentFolders: readonly string[],
  hiddenFolders: readonly string[],
  options: Pick<PrepareOptions, 'assetsRoot' | 'signal'>,
): Promise<string[]> {
  const { leaks } = await datasetProgram(['--scan'], options, 600, 'the search for leaks', {
    agentFolders,
    hiddenFolders,
  });
  return leaks;
}

/** Runs datasets/prepare_main.py in an environment that is the same on every machine. */
async function datasetProgram(
  flags: readonly string[],
  options: Pick<PrepareOptions, 'assetsRoot' | 'signal' | 'onLine'>,
  seconds: number,
  what: string,
  order: Record<string, unknown>,
): Promise<{ leaks: string[] }> {
  const python = await findPython(undefined, null);
  const scratch = await mkdtemp(join(tmpdir(), 'bench-prepare-'));
  try {
    const [orderFile, result] = [join(scratch, 'order.json'), join(scratch, 'result.json')];
    await writeFile(orderFile, JSON.stringify({ ...order, result }));
    const program = join(options.assetsRoot, 'datasets', 'prepare_main.py');
    const child = execa(python, ['-sB', program, ...flags, orderFile], {
      cwd: scratch,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', PYTHONHASHSEED: '0' },
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
      timeout: seconds * 1000,
      maxBuffer: 1024 * 1024,
      ...(options.signal !== undefined && { cancelSignal: options.signal }),
    });
    if (options.onLine !== undefined) for await (const line of child.iterable()) options.onLine(String(line));
    const { exitCode, timedOut, stderr } = await child;
    options.signal?.throwIfAborted();
    if (timedOut)
      throw new BenchError('failed', `${what} took more than ${seconds} s`, {
        remedy: 'Raise data.prepareSeconds in task.yaml, or run it on a faster machine.',
      });
    if (exitCode !== 0)
      throw new BenchError(
        'failed',
        `${what} failed: ${String(stderr).trim().split('\n').slice(-3).join(' / ').slice(-800)}`,
        {
          remedy: 'Nothing was kept. Fix it, then prepare again.',
        },
      );
    return JSON.parse(readFileSync(result, 'utf8')) as { leaks: string[] };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Checks the files against task.yaml and returns their checksums. */
async function madeFiles(task: TaskFolder, data: TaskData, aside: string): Promise<PreparedFile[]> {
  const files: PreparedFile[] = [];
  const problems: string[] = [];
  for (const key of ['agent', 'hidden'] as const) {
    const root = join(aside, key);
    const made = folderFiles(root).map(({ path }) => path);
    const belongs = (path: string, declared: string) => path === declared || path.startsWith(`${declared}/`);
    for (const path of made)
      if (!data[key].some((declared) => belongs(path, declared)))
        problems.push(`${path} is not declared under data.${key}`);
    for (const declared of data[key])
      if (!made.some((path) => belongs(path, declared))) problems.push(`${declared} of data.${key} was not made`);
    for (const path of made) {
      const full = join(root, path);
      await chmod(full, 0o644);
      const { size } = await stat(full);
      files.push({ path: `${key}/${path}`, bytes: size, sha256: fileDigest(full) ?? '' });
    }
  }
  if (problems.length === 0) return files;
  throw new BenchError('failed', `task ${task.spec.id}: ${problems.join('; ')}`, {
    remedy: 'Nothing was kept. Make prepare.py and task.yaml agree.',
  });
}
