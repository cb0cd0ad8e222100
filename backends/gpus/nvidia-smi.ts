import { execFile } from 'node:child_process';

/** `absent`: there is no such program here. `failed`: there is, but its driver told it nothing. */
export type NvidiaSmiAnswer = { kind: 'ok'; csv: string } | { kind: 'absent' } | { kind: 'failed'; why: string };

export type NvidiaSmi = (what: 'gpu' | 'compute-apps', columns: string) => Promise<NvidiaSmiAnswer>;

/**
 * Asks the driver. A program that hangs in the driver cannot even be killed: it is waited for so long, and no other is started while
 * it is there.
 */
export function nvidiaSmi(limitMs = 10_000): NvidiaSmi {
  let hanging = false;
  return async (what, columns) => {
    if (hanging) return { kind: 'failed', why: 'the nvidia-smi that was asked before hangs, and cannot be ended' };
    const args = [`--query-${what}=${columns}`, '--format=csv,noheader'];
    return new Promise((answer) => {
      const child = execFile('nvidia-smi', args, (error, stdout, stderr) => {
        clearTimeout(limit);
        if (error === null) answer({ kind: 'ok', csv: stdout });
        else if (error.code === 'ENOENT') answer({ kind: 'absent' });
        else answer({ kind: 'failed', why: firstLine(stderr) ?? firstLine(stdout) ?? error.message });
      });
      const limit = setTimeout(() => {
        hanging = true;
        child.once('exit', () => (hanging = false));
        child.kill('SIGKILL');
        answer({ kind: 'failed', why: `no answer within ${limitMs / 1000} s` });
      }, limitMs);
    });
  };
}

const firstLine = (text: string): string | undefined =>
  text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
