import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import type { PageExportRequest } from '../../../domain/requests/page.js';
import { type ExportIndex, packOf } from '../../../domain/static-form/packs.js';
import type { Leaderboard } from '../../../domain/views/leaderboard.js';
import type { PageExportDocument } from '../../../domain/views/page.js';
import { harnessVersion } from '../../../operations/harness-version.js';
import {
  type ExportSubjectPorts,
  type ExportSubjects,
  exportSubjects,
} from '../../../operations/pages/export-subjects.js';
import { makeTarget, unwritable } from '../../../operations/records/export/targets.js';
import type { BenchSettings } from '../../../operations/settings.js';
import { checkWritable, writeWhole } from '../../../operations/write-whole.js';
import { askRoutes, type RoutePorts } from './ask-routes.js';
import { packsInFolder, packsInOne, sha256 } from './pack-writer.js';
import { pageInFolder, pageInOne } from './page-document.js';
import { type Exporting, Pack, writeRun } from './run-packs.js';
import { readPatterns, Scrubber } from './scrub.js';

const AT_ONCE = 4;
const MANIFEST = 'manifest.json';

export type PageExportPorts = ExportSubjectPorts & RoutePorts & { settings: Pick<BenchSettings, 'assetsRoot'> };

/** Writes the page and its routes' answers about these batches and runs, to work offline. */
export async function exportPage(
  ports: PageExportPorts,
  request: PageExportRequest,
  progress: (done: number, of: number) => void = () => undefined,
): Promise<PageExportDocument> {
  if ((request.output === undefined) === (request.single === undefined))
    throw new BenchError('usage', 'name either a folder or a single file to write to', {
      remedy: 'Give a folder, or one file.',
      fields: { output: '<folder>', single: '<file>' },
    });
  refuseOtherFormats(request);
  const patterns =
    request.redact === undefined
      ? []
      : readPatterns(request.redact, await readFile(request.redact, 'utf8').catch(gone));
  const folder = request.output === undefined ? null : resolve(request.output);
  if (folder === null) await checkWritable(request.single!);
  else await refuseForeign(folder);
  // Made next to its place, and first, so that an unwritable place fails at once.
  const aside =
    folder === null ? null : join(dirname(folder), `.${basename(folder)}.${randomBytes(4).toString('hex')}`);
  try {
    if (aside !== null) makeTarget(join(aside, 'data'));
    return await writePage(ports, request, { folder, aside, patterns, progress });
  } catch (error) {
    throw unwritable(folder ?? request.single!, error);
  } finally {
    if (aside !== null) await rm(aside, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A page under the name of another format opens nowhere. */
function refuseOtherFormats({ output, single }: PageExportRequest): void {
  if (single !== undefined && /\.(?:pdf|zip|json|csv|md)$/i.test(single))
    throw new BenchError('usage', `${single}: the page is written as HTML`, {
      remedy: 'Let its name end in .html; a browser prints it as PDF.',
      fields: { single: '<file>.html' },
    });
  if (output !== undefined && /\.(?:html?|pdf|zip|json|csv|md)$/i.test(output))
    throw new BenchError('usage', `${output}: the page is written as a folder of files`, {
      remedy: 'Name a folder, or write one file.',
      fields: { output: '<folder>', single: '<file>.html' },
    });
}

interface Writing {
  /** Null, like `aside`: to one file. */
  folder: string | null;
  aside: string | null;
  patterns: readonly RegExp[];
  progress: (done: number, of: number) => void;
}

async function writePage(
  ports: PageExportPorts,
  request: PageExportRequest,
  { folder, aside, patterns, progress }: Writing,
): Promise<PageExportDocument> {
  const { assetsRoot } = ports.settings;
  const parts = {
    script: await built(join(assetsRoot, 'dist/web/static/page.js')),
    style: await built(join(assetsRoot, 'dist/web/static/style.css')),
  };
  const subjects = await exportSubjects(ports, request);
  if (subjects.runs.length === 0) throw new BenchError('not_found', 'the batch has no runs', { code: 'batch.empty' });
  const version = harnessVersion(assetsRoot);
  const scrub = new Scrubber(patterns, request.allowSecrets);
  const hashes = new Map<string, string>();
  const one = aside === null ? packsInOne() : null;
  const writer = one ?? packsInFolder(aside!, hashes);
  const { observations, files } = request;
  const exporting: Exporting = { routes: askRoutes(ports, version), writer, scrub, observations, files };
  await writeAll(exporting, subjects, progress);
  const index = await writer.write(
    'index',
    new Map(
      Object.entries({
        version,
        packs: Object.fromEntries([...writer.files].sort(([a], [b]) => (a < b ? -1 : 1))),
        batches: subjects.batches.map(({ batchId }) => batchId).sort(),
        runs: subjects.runs.length,
        leaderboard: subjects.leaderboard,
        ...{ observations, files, redacted: scrub.replaced },
      } satisfies ExportIndex).map(([key, value]) => [key, JSON.stringify(value)]),
    ),
  );
  const counts = { batches: subjects.batches.length, runs: subjects.runs.length, redacted: scrub.replaced };
  if (one !== null) {
    const text = pageInOne({ ...parts, index, blocks: one.blocks() });
    return { path: await writeWhole(request.single!, text), ...counts, files: 1, bytes: Buffer.byteLength(text) };
  }
  const put = async (name: string, text: string): Promise<void> => {
    await writeFile(join(aside!, name), text);
    hashes.set(name, sha256(text));
  };
  const names = {
    script: `page-${sha256(parts.script).slice(0, 16)}.js`,
    style: `style-${sha256(parts.style).slice(0, 16)}.css`,
  };
  await put(names.script, parts.script);
  await put(names.style, parts.style);
  await put('index.html', pageInFolder({ ...names, index }));
  const manifest = { version, files: Object.fromEntries([...hashes].sort(([a], [b]) => (a < b ? -1 : 1))) };
  await writeFile(join(aside!, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  let bytes = 0;
  for (const name of hashes.keys()) bytes += (await stat(join(aside!, name))).size;
  await rm(folder!, { recursive: true, force: true });
  await rename(aside!, folder!);
  return { path: join(folder!, 'index.html'), ...counts, files: hashes.size + 1, bytes };
}

async function writeAll(
  exporting: Exporting,
  { batches, runs, leaderboard, comparison }: ExportSubjects,
  progress: (done: number, of: number) => void,
): Promise<void> {
  const lists = [new Pack(exporting, packOf('runs', {}, {})), new Pack(exporting, packOf('batches', {}, {}))] as const;
  const byId = [...runs].sort((a, b) => (a.runId < b.runId ? -1 : 1));
  lists[0].put('runs', {}, {}, { runs: byId, next: null });
  lists[1].put(
    'batches',
    {},
    {},
    {
      batches: [...batches].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
      total: batches.length,
      next: null,
    },
  );
  for (const list of lists) await list.write();
  for (const { batchId: id } of batches) {
    const pack = new Pack(exporting, packOf('batch', { id }, {}));
    for (const route of ['batch', 'batchMatrix', 'batchSpend'] as const) await pack.ask(route, { id });
    await pack.askPages('batchEvents', { id });
    await pack.write();
  }
  await writeResults(exporting, leaderboard, comparison);
  const waiting = byId.values();
  const written = new Set<string>();
  let done = 0;
  let failed = false;
  const work = async (): Promise<void> => {
    for (const run of waiting) {
      if (failed) return;
      try {
        await writeRun(exporting, run, written);
      } catch (error) {
        failed = true;
        throw error;
      }
      progress(++done, byId.length);
    }
  };
  // None may still write when the folder is removed.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** The leaderboard's default view and one of all runs, with the runs of each row. */
async function writeResults(
  exporting: Exporting,
  leaderboard: ExportSubjects['leaderboard'],
  comparison: string | null,
): Promise<void> {
  const pack = new Pack(exporting, packOf('leaderboard', {}, {}));
  const saved = comparison === null ? [] : [await pack.ask('comparison', { name: comparison })];
  pack.put('comparisons', {}, {}, { comparisons: saved.map(withoutMoved) });
  const every = { include: ['scripted', 'local', 'imported'] };
  const requests =
    leaderboard === null ? [] : comparison === null ? [leaderboard, { ...leaderboard, ...every }] : [leaderboard];
  for (const request of requests) {
    const { rows } = await pack.ask<Leaderboard>('leaderboard', {}, request);
    for (const { model, kind, isolation } of rows)
      await pack.ask('leaderboardCell', {}, { ...request, model, kind, isolation });
  }
  await pack.write();
}

const withoutMoved = (shown: unknown): unknown => {
  const { changedBaselines: _, ...rest } = shown as Record<string, unknown>;
  return rest;
};

const gone = (cause: NodeJS.ErrnoException): never => {
  throw new BenchError('usage', `the patterns cannot be read: ${cause.message}`, { code: 'file.not_found', cause });
};

const built = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((cause: unknown) => {
    throw new BenchError('failed', 'the page was not built', { remedy: 'Build it: `npm run build`.', cause });
  });

/** An export may replace an earlier one, and nothing else. */
async function refuseForeign(folder: string): Promise<void> {
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw new BenchError('usage', `${folder} cannot be written: ${error.message}`, { code: 'file.unwritable' });
  });
  if (there.length === 0 || (there.includes(MANIFEST) && there.includes('index.html') && there.includes('data')))
    return;
  throw new BenchError('usage', `${folder} contains other files`, {
    code: 'file.unwritable',
    remedy: 'Name a new folder, or one that an earlier export wrote.',
    fields: { output: '<folder>' },
  });
}
