import { createGunzip } from 'node:zlib';
import { pipeline, Readable } from 'node:stream';
import type Docker from 'dockerode';
import { extract, type Header, pack } from 'tar-stream';
import { InfrastructureError } from '../../domain/errors.js';
import { CONTAINER_WORKSPACE } from '../../domain/run/limits.js';
import { type Collected, type CollectOptions, WHOLE } from '../../domain/ports/sandbox-port.js';
import { snapshotOf } from './snapshot-container.js';

const LIMIT_MS = 600_000;
/** Programs of the image that, say, a Python environment links to. Excludes the tests. */
const PROGRAMS = /^\/(?:usr\/(?:local\/)?)?(?:bin|lib|lib64|sbin|share)\/(?!.*(?:^|\/)\.\.(?:\/|$))/;
/** Dotfiles in the agent's home, which shells and tools read first. */
const SETTINGS = /^\.[^/]*$/;

class Refused extends Error {}

type Whole = NonNullable<CollectOptions['whole']>;

type Place = keyof typeof WHOLE;

/**
 * The agent's workspace, and optionally its other files, as archives. The snapshot program walks
 * them: it follows no link and skips devices, sockets and set-id bits. Refuses links that lead
 * outside.
 */
export async function collectWhole(
  container: Docker.Container,
  maxBytes: number,
  { besides, workdir }: Whole,
): Promise<Collected> {
  const stream = snapshotOf(container, { maxBytes, workspaceAlone: !besides }, AbortSignal.timeout(LIMIT_MS));
  try {
    return await readWhole(stream, maxBytes, { besides, workdir });
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', reason: error.message };
    // That program's errors are the agent's fault; see images/agent/durable_shell/snapshot.py.
    if (
      error instanceof InfrastructureError &&
      /^(?:the files are )?more than \d+ |nested more than/.test(error.message)
    )
      return { kind: 'refused', reason: error.message };
    throw error;
  }
}

/** Splits a snapshot's archive by place. Throws Refused. */
export async function readWhole(
  snapshot: AsyncIterable<Uint8Array>,
  maxBytes: number,
  { besides, workdir }: Whole,
): Promise<Collected> {
  const places: Place[] = besides ? ['workspace', 'home', 'tmp'] : ['workspace'];
  const archives = new Map(places.map((place) => [place, collected()]));
  const entries = extract();
  // The loop below sees its end and its errors.
  pipeline(Readable.from(snapshot), createGunzip(), entries, () => undefined);
  let left = maxBytes;
  for await (const entry of entries) {
    const { header } = entry;
    const [first = '', ...rest] = header.name.replace(/\/$/, '').split('/');
    const archive = archives.get(first as Place);
    if (archive === undefined || rest.length === 0 || (first === 'home' && SETTINGS.test(rest[0] ?? ''))) {
      entry.resume();
      continue;
    }
    left -= header.size ?? 0;
    if (left < 0) throw new Refused(`the files are more than ${maxBytes} bytes long`);
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const taken = ownEntry(header, first as Place, rest, workdir);
    if (taken.type === 'file') archive.archive.entry(taken, Buffer.concat(chunks));
    else archive.archive.entry(taken);
  }
  const files = [];
  for (const [place, { archive, bytes }] of archives) {
    archive.finalize();
    files.push({ path: WHOLE[place], bytes: await bytes });
  }
  return { kind: 'files', files };
}

function collected(): { archive: ReturnType<typeof pack>; bytes: Promise<Buffer> } {
  const archive = pack();
  const bytes = (async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of archive) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  })();
  return { archive, bytes };
}

function ownEntry(
  { type, mode = 0o644, mtime, linkname, size }: Header,
  place: Place,
  parts: string[],
  workdir: string,
): Pick<Header, 'name'> & Partial<Header> {
  const name = parts.join('/');
  const common = { name, mode: mode & 0o777, uid: 0, gid: 0, ...(mtime !== undefined && { mtime }) };
  switch (type) {
    case 'directory':
      return { ...common, type: 'directory' };
    case 'symlink':
      return { ...common, type: 'symlink', linkname: checkedLink(linkname ?? '', place, parts, workdir) };
    case 'link': {
      const [first, ...target] = (linkname ?? '').split('/');
      if (first !== place) throw new Refused(`${name} is also a file outside of the working folder; copy it`);
      return { ...common, type: 'link', linkname: target.join('/') };
    }
    default:
      return { ...common, type: 'file', size: size ?? 0 };
  }
}

/**
 * A link to `/tests/expected.csv` leads nowhere for the agent, and to the answers where files are
 * verified. `..` may only come first, where no other link can redirect it.
 */
function checkedLink(target: string, place: Place, parts: readonly string[], workdir: string): string {
  const name = parts.join('/');
  const inside = place === 'workspace' ? withinWorkspace(target, parts.length - 1, workdir) : target;
  if (PROGRAMS.test(inside)) return inside;
  const ups = inside.split('/').filter((part) => part !== '' && part !== '.');
  const down = ups.findIndex((part) => part !== '..');
  const climbed = down === -1 ? ups.length : down;
  if (inside.startsWith('/') || climbed > parts.length - 1 || ups.slice(climbed).includes('..'))
    throw new Refused(`${name} is a link to ${target.slice(0, 200)}, outside of the working folder; copy the file`);
  return inside;
}

/** The workspace has another path where it is verified. */
function withinWorkspace(target: string, depth: number, workdir: string): string {
  const root = [CONTAINER_WORKSPACE, workdir].find((path) => target === path || target.startsWith(`${path}/`));
  return root === undefined ? target : `${'../'.repeat(depth)}${target.slice(root.length + 1)}` || '.';
}
