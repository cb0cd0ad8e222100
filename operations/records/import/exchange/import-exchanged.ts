import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { BenchError } from '../../../../domain/errors.js';
import type { ExchangeRequest } from '../../../../domain/requests/import.js';
import type { DirectoryResult, ImportDocument } from '../../../../domain/views/imports.js';
import type { RunImports } from '../../../../domain/ports/imports.js';
import { importSummary } from '../import-summary.js';
import { kindInside, leadsOut } from '../inside-folder.js';
import { Remarks } from '../remarks.js';
import { UnreadableFile } from '../unreadable-file.js';
import type { DirectoriesProgress } from '../import-run-directories.js';
import { isAtif } from './atif-head.js';
import { isTrial, trialAbove, trialOf } from './harbor-trial.js';
import { importSource } from './import-file.js';
import { type AtifSource, readAtif } from './read-atif.js';
import { readLogHead, readSample } from './read-inspect.js';
import { openZip } from './zip-members.js';

export interface ImportExchangedPorts {
  imports: Pick<RunImports, 'importExchanged'>;
  databaseUrl: () => Promise<string>;
}

export type ExchangedFormat = 'atif' | 'inspect';

/** Imports trajectories or logs as ended runs, each whole or not at all. Idempotent. */
export async function importExchanged(
  { imports, databaseUrl }: ImportExchangedPorts,
  format: ExchangedFormat,
  paths: readonly string[],
  { batch, task, dryRun }: ExchangeRequest,
  { signal, onFound, onDirectory }: DirectoriesProgress,
): Promise<ImportDocument> {
  const sources = await findSources(format, paths);
  // An unavailable database fails here, instead of once per file.
  await databaseUrl();
  onFound(sources.length);
  const results: DirectoryResult[] = [];
  let read = 0;
  for (const source of sources) {
    if (signal.aborted) break;
    read += 1;
    const done = (result: DirectoryResult): void => {
      results.push(result);
      onDirectory(result, read);
    };
    const options = { batch, dryRun };
    if (format === 'inspect' && 'path' in source)
      for await (const result of logResults(imports, source.path, options)) done(result);
    else
      done(
        await importSource(imports, basename('trial' in source ? source.trial : source.path), options, (remarks) =>
          readAtif(source, { task: task ?? null }, remarks),
        ),
      );
  }
  return importSummary(results, { batch, dryRun, directories: results.length + sources.length - read });
}

/** A result for each sample; one for a log that cannot be read. */
async function* logResults(
  imports: ImportExchangedPorts['imports'],
  path: string,
  options: Parameters<typeof importSource>[2],
): AsyncGenerator<DirectoryResult, void, undefined> {
  const file = basename(path);
  const remarks = new Remarks(file);
  const failed = (): DirectoryResult => ({
    source: file,
    outcome: 'failed',
    runId: null,
    steps: 0,
    remarks: remarks.all(),
  });
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      remarks.failed(error.file, error.key, error.kind, error.message);
      return null;
    }
  };
  const zip = await attempt(() => openZip(path, file));
  if (zip === null) return yield failed();
  try {
    const log = await attempt(() => readLogHead(zip, path, remarks));
    if (log === null) return yield failed();
    if (log.samples.length === 0) {
      remarks.failed(file, 'samples/', 'missing_key', 'the log has no samples');
      return yield failed();
    }
    let about = remarks.all();
    for (const member of log.samples) {
      const result = await importSource(imports, `${file}: ${member}`, options, (own) =>
        readSample(zip, log, member, own),
      );
      yield { ...result, remarks: [...about, ...result.remarks] };
      about = [];
    }
  } finally {
    zip.close();
  }
}

const MOST_LEVELS = 10;

/** The named files, and those in named folders; a Harbor trial once. BenchError: none found. */
async function findSources(format: ExchangedFormat, paths: readonly string[]): Promise<AtifSource[]> {
  const found = new Map<string, AtifSource>();
  const add = (source: AtifSource): void => void found.set(JSON.stringify(source), source);
  for (const path of paths) {
    const known = await stat(path).catch(() => null);
    if (known === null)
      throw new BenchError('not_found', `${path}: no such file or folder`, {
        code: 'file.not_found',
        remedy: 'Give files, or folders that contain some at any depth.',
      });
    const trial = format === 'atif' && !known.isDirectory() ? trialOf(path) : null;
    if (known.isDirectory()) for await (const source of walk(format, resolve(path), resolve(path), 0)) add(source);
    else add(trial === null ? { path: resolve(path) } : { trial });
  }
  if (found.size === 0)
    throw new BenchError(
      'usage',
      `no ${format === 'atif' ? 'ATIF trajectory' : 'Inspect log'} in ${paths.join(', ')}`,
      {
        code: 'import.unreadable',
        remedy:
          format === 'atif'
            ? 'Trajectories are .json files; in a trial folder of Harbor agent/trajectory.json.'
            : 'Logs are .eval files.',
      },
    );
  return [...found.values()];
}

async function* walk(format: ExchangedFormat, root: string, folder: string, level: number): AsyncGenerator<AtifSource> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (format === 'atif') {
    const trial = isTrial(new Set(entries.map(({ name }) => name))) ? folder : trialAbove(folder);
    if (trial !== null) {
      yield { trial };
      return;
    }
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (level < MOST_LEVELS) yield* walk(format, root, path, level + 1);
      continue;
    }
    if (!/\.(?:eval|json)$/.test(entry.name)) continue;
    const kind = await kindInside(root, path);
    if (kind === 'outside') throw leadsOut(root, path);
    if (kind === 'file' && (format === 'inspect' ? entry.name.endsWith('.eval') : await isTrajectory(path)))
      yield { path };
  }
}

/** Harbor's jobs and other tools leave other JSON. */
const isTrajectory = async (path: string): Promise<boolean> =>
  path.endsWith('.json') && !['result.json', 'config.json'].includes(basename(path)) && (await isAtif(path)) !== false;
