import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { InfrastructureError } from '../../domain/errors.js';
import type { Place } from './run-world.js';

const MOST_WORDS = 4000;

/** A local run's files and shell state, by the program that containers use, as our own process. */
export async function* snapshotOf(
  at: { control: string; place: Place; view: Record<string, string>; uid: number | null },
  program: { python: string; assetsRoot: string },
  { maxBytes }: { maxBytes: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { control, place, view, uid } = at;
  const { workspace, base } = place;
  const places = { workspace, home: join(base, 'home'), tmp: join(base, 'tmp') };
  const script = join(program.assetsRoot, 'images', 'agent', 'durable_shell', 'snapshot.py');
  const child = spawn(program.python, ['-IS', script, JSON.stringify({ control, view, places, uid, maxBytes })], {
    cwd: '/',
    env: { LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-MOST_WORDS)));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // Awaited below; avoid an unhandled rejection until then.
  ended.catch(() => undefined);
  try {
    yield* child.stdout as AsyncIterable<Uint8Array>;
    const exitCode = await ended;
    signal.throwIfAborted();
    if (exitCode !== 0)
      throw new InfrastructureError(words.trim() || `its program ended with ${exitCode ?? 'a signal'}`);
  } finally {
    child.kill('SIGKILL');
  }
}
