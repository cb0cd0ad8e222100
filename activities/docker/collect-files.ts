import type { IncomingMessage } from 'node:http';
import type Docker from 'dockerode';
import { extract } from 'tar-stream';
import { CONTAINER_WORKSPACE } from '../../domain/limits.js';
import type { Collected, CollectOptions, SubmissionFile } from '../../domain/ports/sandbox-port.js';
import { badPath } from '../shell/submission-paths.js';

/** The engine reports Go's file modes: everything above the permission bits but setuid, setgid and sticky is a kind of file. */
const GO_MODE_KINDS = {
  directory: 2 ** 31,
  link: 2 ** 27,
  device: 2 ** 26,
  fifo: 2 ** 25,
  socket: 2 ** 24,
  other: 2 ** 19,
};

interface PathStat {
  size: number;
  kind: 'file' | keyof typeof GO_MODE_KINDS;
}

/**
 * Copy files out of a container's workspace as data. The workspace is hostile: each part of each path is looked at first, and
 * of the archive only one plain file of the announced name and an allowed size is taken.
 */
export async function collectFiles(
  container: Docker.Container,
  files: string[],
  maxBytes: number,
  { folders = [], optional = [], maxFiles = Infinity }: CollectOptions = {},
): Promise<Collected> {
  const collected: SubmissionFile[] = [];
  const missing: string[] = [];
  const refused = (reason: string): Collected => ({ kind: 'refused', reason });
  const tooMany = refused(`more than ${maxFiles} files and folders`);
  let room = maxBytes;
  for (const path of [...files, ...optional]) {
    const wrong = badPath(path);
    if (wrong !== null) return refused(wrong);
    const stat = await statOf(container, path, 'file');
    if (stat === null) {
      if (files.includes(path)) missing.push(path);
      continue;
    }
    if (typeof stat === 'string') return refused(stat);
    const bytes = stat.size > room ? null : await steadily(container, path, () => bytesOf(container, path, room));
    if (bytes === null) return refused(`${path}: more than ${maxBytes} bytes in all`);
    if (typeof bytes === 'string') return refused(bytes);
    room -= bytes.length;
    collected.push({ path, bytes });
  }
  let left = maxFiles - collected.length;
  if (left < 0) return tooMany;
  for (const folder of folders) {
    const wrong = badPath(folder);
    if (wrong !== null) return refused(wrong);
    const stat = await statOf(container, folder, 'directory');
    if (typeof stat === 'string') return refused(stat);
    const found =
      stat === null
        ? { files: [], entries: 0 }
        : await steadily(container, `${folder}/`, () => folderOf(container, folder, room, left));
    if (found === 'bytes') return refused(`${folder}/: more than ${maxBytes} bytes in all`);
    if (found === 'files') return tooMany;
    if (typeof found === 'string') return refused(found);
    if (found.files.length === 0) missing.push(`${folder}/`);
    left -= found.entries;
    room -= found.files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    collected.push(...found.files);
  }
  return missing.length > 0 ? { kind: 'missing', paths: missing } : { kind: 'files', files: collected };
}

const MOST_READS = 5;

/** An engine breaks its archive off where a file changes under its hands: read again, and at last refused. */
async function steadily<T>(
  container: Docker.Container,
  what: string,
  read: () => Promise<T | string>,
): Promise<T | string> {
  for (let reads = 1; ; reads++) {
    try {
      return await read();
    } catch (error) {
      if (!/Unexpected end of data/.test((error as Error).message)) throw error;
      if (reads < MOST_READS) continue;
      // Where the container itself is at fault, or gone, nothing is said of its files.
      const { State: state } = await container.inspect();
      if (!state.Running) throw error;
      return `${what} changes while it is read`;
    }
  }
}

/** Null: missing. A string: why it is refused. */
async function statOf(
  container: Docker.Container,
  path: string,
  wanted: 'file' | 'directory',
): Promise<PathStat | string | null> {
  // The workspace itself is the agent's too: it may have put a link in its place.
  const top = await pathStat(container, CONTAINER_WORKSPACE);
  if (top?.kind !== 'directory') return top === null ? null : `the workspace is a ${top.kind}, not a directory`;
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = parts.slice(0, depth).join('/');
    const stat = await pathStat(container, `${CONTAINER_WORKSPACE}/${part}`);
    if (stat === null) return null;
    if (depth === parts.length && wanted === 'file')
      return stat.kind === 'file' ? stat : `${part} is a ${stat.kind}, not a regular file`;
    if (stat.kind !== 'directory') return `${part} is a ${stat.kind}, not a directory`;
    if (depth === parts.length) return stat;
  }
  return null;
}

async function pathStat(container: Docker.Container, path: string): Promise<PathStat | null> {
  let answer: IncomingMessage;
  try {
    answer = (await container.infoArchive({ path })) as IncomingMessage;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode !== 404) throw error;
    // Also the answer when the container itself is gone: that throws.
    await container.inspect();
    return null;
  }
  answer.resume();
  const header = String(answer.headers['x-docker-container-path-stat']);
  const stat = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as { size: number; mode: number };
  for (const [kind, bit] of Object.entries(GO_MODE_KINDS))
    if (Math.floor(stat.mode / bit) % 2 === 1) return { size: stat.size, kind: kind as keyof typeof GO_MODE_KINDS };
  return { size: stat.size, kind: 'file' };
}

/** Null: larger than `room`. A string: why it is refused. */
async function bytesOf(container: Docker.Container, path: string, room: number): Promise<Buffer | string | null> {
  const archive = (await container.getArchive({ path: `${CONTAINER_WORKSPACE}/${path}` })) as IncomingMessage;
  const entries = archive.pipe(extract());
  archive.once('error', (error) => entries.destroy(error));
  const name = path.slice(path.lastIndexOf('/') + 1);
  let found: Buffer | null = null;
  try {
    for await (const entry of entries) {
      const { header } = entry;
      // It changed under our hands, or the engine means something else than we do.
      if (found !== null || header.type !== 'file' || header.name !== name)
        return `${path} is a ${header.type ?? 'thing'} named ${header.name} in the archive, not a regular file`;
      if ((header.size ?? 0) > room) return null;
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of entry) {
        size += (chunk as Buffer).length;
        if (size > room) return null;
        chunks.push(chunk as Buffer);
      }
      found = Buffer.concat(chunks);
    }
  } finally {
    archive.destroy();
    entries.destroy();
  }
  return found ?? `${path} is not in the archive that the engine made of it`;
}

interface FolderContent {
  files: SubmissionFile[];
  /** Files and folders below it. */
  entries: number;
}

/** All files below a folder, sorted. `bytes` or `files`: more of them than there is room for; any other text: why it is refused. */
async function folderOf(
  container: Docker.Container,
  folder: string,
  room: number,
  maxEntries: number,
): Promise<FolderContent | string> {
  const archive = (await container.getArchive({ path: `${CONTAINER_WORKSPACE}/${folder}` })) as IncomingMessage;
  const packed = archive.pipe(extract());
  archive.once('error', (error) => packed.destroy(error));
  const top = folder.slice(folder.lastIndexOf('/') + 1);
  const found = new Map<string, Buffer>();
  let [entries, size] = [0, 0];
  try {
    for await (const entry of packed) {
      const { name, type } = entry.header;
      const parts = name.replace(/\/$/, '').split('/');
      const path = [folder, ...parts.slice(1)].join('/');
      if (parts[0] !== top || badPath(path) !== null) return `${folder}/ holds a file with an impossible name`;
      if (name.includes('\uFFFD')) return `${folder}/ holds a file whose name is not UTF-8`;
      if (parts.length > 1) entries += 1;
      if (entries > maxEntries) return 'files';
      if (type !== 'directory') {
        if (type !== 'file' || parts.length === 1) return `${path} is a ${type ?? 'thing'}, not a regular file`;
        if (found.has(path)) return `${path} is there twice`;
        if (size + (entry.header.size ?? 0) > room) return 'bytes';
        const chunks: Buffer[] = [];
        for await (const chunk of entry) {
          size += (chunk as Buffer).length;
          if (size > room) return 'bytes';
          chunks.push(chunk as Buffer);
        }
        found.set(path, Buffer.concat(chunks));
      } else entry.resume();
    }
  } finally {
    archive.destroy();
    packed.destroy();
  }
  const files = [...found].map(([path, bytes]): SubmissionFile => ({ path, bytes }));
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), entries };
}
