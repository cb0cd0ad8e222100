import { once } from 'node:events';
import type Docker from 'dockerode';
import { extract } from 'tar-stream';
import { LOGS } from './provision-script.js';

const LOGS_LIMIT = 16 * 1024 * 1024;
const READ_LIMIT_MS = 60_000;

/** Text files directly in the tests' log folder, by name; empty if too large. */
export async function leftBehind(container: Docker.Container): Promise<ReadonlyMap<string, string>> {
  const abortSignal = AbortSignal.timeout(READ_LIMIT_MS);
  const found = new Map<string, string>();
  const stream = await container.getArchive({ path: LOGS, abortSignal });
  const entries = extract();
  stream.pipe(entries);
  stream.on('error', (error: Error) => entries.destroy(error));
  const abort = (): void => void entries.destroy(abortSignal.reason as Error);
  abortSignal.addEventListener('abort', abort, { once: true });
  let left = LOGS_LIMIT;
  try {
    for await (const entry of entries) {
      const name = /^verifier\/([a-z]+\.(?:json|txt))$/.exec(entry.header.name)?.[1];
      left -= entry.header.size ?? 0;
      if (left < 0) {
        found.clear();
        break;
      }
      if (name === undefined || entry.header.type !== 'file') {
        entry.resume();
        if (!entry.destroyed && (entry.header.size ?? 0) > 0) await once(entry, 'end');
        continue;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      found.set(name, Buffer.concat(chunks).toString('utf8'));
    }
  } finally {
    abortSignal.removeEventListener('abort', abort);
    (stream as NodeJS.ReadableStream & { destroy?: () => void }).destroy?.();
  }
  return found;
}
