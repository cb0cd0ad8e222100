import type { NetworkReport } from '../../domain/ports/sandbox-port.js';
import { z } from 'zod';

const FRAME_HEAD = 8;

const lineSchema = z.union([
  z.object({
    method: z.string(),
    host: z.string(),
    port: z.number(),
    allowed: z.boolean(),
    up: z.number(),
    down: z.number(),
    ms: z.number(),
    note: z.string(),
  }),
  z.object({ more: z.object({ allowed: z.number(), refused: z.number(), up: z.number(), down: z.number() }) }),
]);

/** The proxy's lines (images/agent/network/proxy.py), numbered by position in the engine's log. */
export function networkReports(log: Buffer): NetworkReport[] {
  // A last line without a newline is still being written.
  const lines = unframed(log).split('\n').slice(0, -1);
  return lines.map((line, index) => ({ n: index + 1, detail: describe(line) }));
}

/** Each write is a frame: stream, three zeros, length. */
function unframed(log: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; at + FRAME_HEAD <= log.length;) {
    const end = at + FRAME_HEAD + log.readUInt32BE(at + 4);
    parts.push(log.subarray(at + FRAME_HEAD, end));
    at = end;
  }
  return Buffer.concat(parts).toString('utf8');
}

function describe(line: string): string {
  const parsed = lineSchema.safeParse(parsedJson(line));
  if (!parsed.success) return line.slice(0, 500);
  const entry = parsed.data;
  if ('more' in entry) {
    const { allowed, refused, up, down } = entry.more;
    return `and ${allowed + refused} more: ${allowed} allowed, ${refused} refused; ${up} bytes up, ${down} bytes down`;
  }
  const verdict = entry.allowed ? 'allowed' : 'refused';
  const note = entry.note === '' ? '' : ` (${entry.note.slice(0, 300)})`;
  const what = entry.host === '' ? entry.method : `${entry.method} ${entry.host}:${entry.port}`;
  return `${what} ${verdict}: ${entry.up} bytes up, ${entry.down} bytes down, ${entry.ms} ms${note}`;
}

function parsedJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
