import type Docker from 'dockerode';
import { z } from 'zod';
import { InfrastructureError } from '../../domain/errors.js';
import { CONTAINER_WORKSPACE } from '../../domain/run/limits.js';
import type { Collected, CollectOptions, SubmissionFile } from '../../domain/ports/sandbox-port.js';
import { badPath } from '../shell/submission-paths.js';
import { execOutput } from './exec-output.js';

const PROGRAM = ['/opt/bench/python3', '-IS', '/opt/bench/durable_shell/collect.py'];
/** The program never waits, so anything longer is the engine's fault. */
const LIMIT_MS = 600_000;
/** A line names one path, or all missing ones. */
const LONGEST_LINE = 1024 * 1024;
const NEWLINE = 10;

const lineSchema = z.union([
  z.object({ path: z.string(), size: z.number().int().nonnegative() }),
  z.object({ kind: z.literal('files') }),
  z.object({ kind: z.literal('missing'), paths: z.array(z.string()) }),
  z.object({ kind: z.literal('refused'), reason: z.string() }),
]);

/**
 * Copies files out of a container's workspace with a program inside (collect.py in durable_shell).
 * The engine's own archive follows links, and hangs on a FIFO with all later calls for the
 * container.
 */
export async function collectFiles(
  container: Docker.Container,
  files: string[],
  maxBytes: number,
  { folders = [], optional = [], maxFiles }: CollectOptions = {},
): Promise<Collected> {
  for (const path of [...files, ...optional, ...folders]) {
    const wrong = badPath(path);
    if (wrong !== null) return { kind: 'refused', reason: wrong };
  }
  const plan = { workspace: CONTAINER_WORKSPACE, files, folders, optional, maxBytes, maxFiles: maxFiles ?? null };
  const signal = AbortSignal.timeout(LIMIT_MS);
  return await readCollected(execOutput(container, [...PROGRAM, JSON.stringify(plan)], signal), maxBytes);
}

/** Parses lines, each followed by the bytes that it announces; the last line is the outcome. */
export async function readCollected(pieces: AsyncIterable<Buffer>, maxBytes: number): Promise<Collected> {
  const found: { path: string; left: number; chunks: Buffer[] }[] = [];
  let line: Buffer[] = [];
  let [announced, inLine] = [0, 0];
  let end: Collected | null = null;
  const take = (text: string): void => {
    const said = lineSchema.parse(JSON.parse(text));
    if (!('path' in said)) return void (end = said.kind === 'files' ? { kind: 'files', files: [] } : said);
    announced += said.size;
    if (announced > maxBytes) throw new InfrastructureError('its program sent more than it was asked for');
    found.push({ path: said.path, left: said.size, chunks: [] });
  };
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const file = found.at(-1);
      if (file !== undefined && file.left > 0) {
        const bytes = piece.subarray(at, at + file.left);
        file.chunks.push(bytes);
        file.left -= bytes.length;
        at += bytes.length;
        continue;
      }
      const newline = piece.indexOf(NEWLINE, at);
      const part = piece.subarray(at, newline < 0 ? piece.length : newline);
      line.push(part);
      inLine += part.length;
      if (inLine > LONGEST_LINE) throw new InfrastructureError('its program sent an endless line');
      at += part.length;
      if (newline < 0) continue;
      at += 1;
      take(Buffer.concat(line).toString('utf8'));
      [line, inLine] = [[], 0];
    }
  }
  if (end === null) throw new InfrastructureError('its program ended before its last line');
  return (end as Collected).kind === 'files'
    ? {
        kind: 'files',
        files: found.map(({ path, chunks }): SubmissionFile => ({ path, bytes: Buffer.concat(chunks) })),
      }
    : end;
}
