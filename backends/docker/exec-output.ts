import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { InfrastructureError } from '../../domain/errors.js';

const FRAME_HEAD = 8;
const STDOUT = 1;
const MOST_WORDS = 4000;
const EXIT_CODE_ATTEMPTS = 100;

/**
 * Output of a program run as root in a container, with backpressure. Throws the engine's errors,
 * and InfrastructureError with stderr if the program fails.
 */
export async function* execOutput(
  container: Docker.Container,
  command: string[],
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const exec = await container.exec({
    Cmd: command,
    User: '0:0',
    WorkingDir: '/',
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({ hijack: true, stdin: true });
  const abort = (): void => void stream.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  const complaints: Buffer[] = [];
  try {
    signal.throwIfAborted();
    for await (const { kind, bytes } of framesOf(stream)) {
      if (kind === STDOUT) yield bytes;
      else if (complaints.length < 100) complaints.push(bytes);
    }
  } finally {
    signal.removeEventListener('abort', abort);
    stream.destroy();
  }
  const exitCode = await exitCodeOf(exec);
  if (exitCode === 0) return;
  const words = Buffer.concat(complaints).toString('utf8').trim().slice(-MOST_WORDS);
  throw new InfrastructureError(words === '' ? `its program ended with ${exitCode ?? 'no exit code'}` : words);
}

/** Frames: stream, three zeros, length. dockerode's demuxStream reads without bound. */
async function* framesOf(stream: Duplex): AsyncGenerator<{ kind: number; bytes: Buffer }> {
  let head: Buffer = Buffer.alloc(0);
  let left = 0;
  let kind = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length;) {
      if (left > 0) {
        const bytes = chunk.subarray(at, at + left);
        yield { kind, bytes };
        left -= bytes.length;
        at += bytes.length;
        continue;
      }
      const part = chunk.subarray(at, at + FRAME_HEAD - head.length);
      head = Buffer.concat([head, part]);
      at += part.length;
      if (head.length < FRAME_HEAD) continue;
      kind = head[0] ?? 0;
      left = head.readUInt32BE(4);
      head = Buffer.alloc(0);
    }
  }
  if (left > 0 || head.length > 0) throw new InfrastructureError('the connection to the engine broke');
}

/** The output may end before the engine notices that the program did. */
async function exitCodeOf(exec: Docker.Exec): Promise<number | null> {
  for (let attempt = 0; attempt < EXIT_CODE_ATTEMPTS; attempt++) {
    const { Running: running, ExitCode: exitCode } = await exec.inspect();
    if (!running) return exitCode;
    await sleep(50);
  }
  return null;
}
