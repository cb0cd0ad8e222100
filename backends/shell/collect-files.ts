import { constants, type Stats } from 'node:fs';
import { lstat, open, opendir, type FileHandle } from 'node:fs/promises';
import type { Collected, CollectOptions, SubmissionFile } from '../../domain/ports/sandbox-port.js';
import { badPath } from './submission-paths.js';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

class Refused extends Error {}

const tooMany = (path: string, maxFiles: number): Refused =>
  new Refused(`${path}: more than ${maxFiles} files and folders in all`);

/**
 * Copies files out of a workspace on this host. Opens each directory relative to its parent, so
 * that swaps by the agent lead nowhere else. With an `owner`, refuses others' files (hard links).
 */
export async function collectFiles(
  workspace: string,
  files: string[],
  maxBytes: number,
  owner: number | null,
  { folders = [], optional = [], maxFiles = Infinity }: CollectOptions = {},
): Promise<Collected> {
  const collected: SubmissionFile[] = [];
  const missing: string[] = [];
  let room = maxBytes;
  const take = async (path: string): Promise<boolean> => {
    const bytes = await readNoFollow(workspace, path, room, maxBytes, owner);
    if (bytes === null) return false;
    room -= bytes.length;
    collected.push({ path, bytes });
    return true;
  };
  try {
    for (const path of files) if (!(await take(path))) missing.push(path);
    const named = new Set([...files, ...optional]);
    for (const path of optional)
      for (const one of path.includes('*') ? await matching(workspace, path, named) : [path]) await take(one);
    let left = maxFiles - collected.length;
    if (left < 0) throw tooMany(collected[maxFiles]?.path ?? '', maxFiles);
    for (const folder of folders) {
      const names = await namesBelow(workspace, folder, left, maxFiles);
      if (names === null || names.files.length === 0) missing.push(`${folder}/`);
      left -= names?.entries ?? 0;
      for (const path of names?.files ?? [])
        if (!(await take(path))) throw new Refused(`${path} went away while it was read`);
    }
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', reason: error.message };
    throw error;
  }
  return missing.length > 0 ? { kind: 'missing', paths: missing } : { kind: 'files', files: collected };
}

/** Sorted regular files of a pattern such as `*.py`, which are added to `named`. */
async function matching(workspace: string, pattern: string, named: Set<string>): Promise<string[]> {
  const wrong = badPath(pattern);
  if (wrong !== null) throw new Refused(wrong);
  const parts = pattern.split('/');
  const fits = patternOf(parts.pop()!);
  const directory = await openDirectory(workspace, parts);
  if (directory === null) return [];
  const found: string[] = [];
  try {
    for await (const entry of await opendir(`/proc/self/fd/${directory.fd}`, {
      encoding: 'buffer' as BufferEncoding,
    })) {
      if (!entry.isFile()) continue;
      const path = [...parts, nameOf(entry.name as unknown as Buffer, pattern)].join('/');
      if (named.has(path) || !fits.test(path.slice(path.lastIndexOf('/') + 1))) continue;
      named.add(path);
      found.push(path);
    }
  } finally {
    await directory.close();
  }
  return found.sort();
}

const patternOf = (text: string): RegExp =>
  new RegExp(
    `^${text
      .split('*')
      .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('[^]*')}$`,
  );

/** All files of a folder, at any depth, sorted; `entries` includes folders. Null: it is missing. */
async function namesBelow(
  workspace: string,
  folder: string,
  room: number,
  maxFiles: number,
): Promise<{ files: string[]; entries: number } | null> {
  const wrong = badPath(folder);
  if (wrong !== null) throw new Refused(wrong);
  const found: string[] = [];
  const waiting = [folder];
  let entries = 0;
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const directory = await openDirectory(workspace, path.split('/'));
    if (directory === null) {
      if (path === folder) return null;
      throw new Refused(`${path} went away while it was read`);
    }
    try {
      for await (const entry of await opendir(`/proc/self/fd/${directory.fd}`, {
        encoding: 'buffer' as BufferEncoding,
      })) {
        const name = nameOf(entry.name as unknown as Buffer, path);
        entries += 1;
        if (entries > room) throw tooMany(`${path}/${name}`, maxFiles);
        (entry.isDirectory() ? waiting : found).push(`${path}/${name}`);
      }
    } finally {
      await directory.close();
    }
  }
  return { files: found.sort(), entries };
}

function nameOf(bytes: Buffer, folder: string): string {
  const name = bytes.toString('utf8');
  if (!Buffer.from(name, 'utf8').equals(bytes)) throw new Refused(`${folder} holds a file whose name is not UTF-8`);
  return name;
}

async function openDirectory(workspace: string, parts: string[]): Promise<FileHandle | null> {
  const top = await openWorkspace(workspace);
  if (top === null) return null;
  let directory = top;
  for (const [index, part] of parts.entries()) {
    const so = parts.slice(0, index + 1).join('/');
    try {
      const next = await openPart(directory, part, DIRECTORY, (stat) =>
        stat.isDirectory() ? null : `${so} is a ${kindOf(stat)}, not a directory`,
      );
      await directory.close();
      if (next === null) return null;
      directory = next;
    } catch (error) {
      await directory.close();
      throw error;
    }
  }
  return directory;
}

/** The agent owns the folder too: it may be missing or something else. */
async function openWorkspace(workspace: string): Promise<FileHandle | null> {
  try {
    return await open(workspace, DIRECTORY);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP' || code === 'ENOTDIR')
      throw new Refused(`the workspace is a ${kindOf(await lstat(workspace))}, not a directory`);
    throw error;
  }
}

async function readNoFollow(
  workspace: string,
  path: string,
  room: number,
  maxBytes: number,
  owner: number | null,
): Promise<Buffer | null> {
  const wrong = badPath(path);
  if (wrong !== null) throw new Refused(wrong);
  const parts = path.split('/');
  const directory = await openDirectory(workspace, parts.slice(0, -1));
  if (directory === null) return null;
  try {
    const file = await openPart(directory, parts.at(-1) ?? '', FILE, (stat) =>
      stat.isFile() ? null : `${path} is a ${kindOf(stat)}, not a regular file`,
    );
    if (file === null) return null;
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw new Refused(`${path} is a ${kindOf(stat)}, not a regular file`);
      if (owner !== null && stat.uid !== owner) throw new Refused(`${path} does not belong to the agent`);
      const bytes = stat.size > room ? null : await readUpTo(file, room);
      if (bytes === null) throw new Refused(`${path}: more than ${maxBytes} bytes in all`);
      return bytes;
    } finally {
      await file.close();
    }
  } finally {
    await directory.close();
  }
}

async function openPart(
  directory: FileHandle,
  part: string,
  flags: number,
  refusal: (stat: Stats) => string | null,
): Promise<FileHandle | null> {
  const at = `/proc/self/fd/${directory.fd}/${part}`;
  try {
    const reason = refusal(await lstat(at));
    if (reason !== null) throw new Refused(reason);
    return await open(at, flags);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP' || code === 'ENOTDIR' || code === 'ENXIO' || code === 'EACCES' || code === 'ENAMETOOLONG')
      throw new Refused(`${part} cannot be opened as what it should be (${code})`);
    throw error;
  }
}

/** Null: the file is larger. It may grow while it is read. */
async function readUpTo(file: FileHandle, room: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of file.createReadStream({ autoClose: false, end: room })) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > room) return null;
  }
  return Buffer.concat(chunks);
}

function kindOf(stat: Stats): string {
  if (stat.isSymbolicLink()) return 'link';
  if (stat.isDirectory()) return 'directory';
  if (stat.isFIFO()) return 'fifo';
  if (stat.isSocket()) return 'socket';
  return stat.isFile() ? 'file' : 'device';
}
