import { execFile } from 'node:child_process';

/** `absent`: there is no such program. `failed`: the driver did not answer it. */
type NvidiaSmiAnswer = { kind: 'ok'; csv: string } | { kind: 'absent' } | { kind: 'failed'; why: string };

export type NvidiaSmi = (what: 'gpu' | 'compute-apps', columns: string) => Promise<NvidiaSmiAnswer>;

/** A program that hangs in the driver cannot be killed: give up, and start no other meanwhile. */
export function nvidiaSmi(limitMs = 10_000): NvidiaSmi {
  let hanging = false;
  return async (what, columns) => {
    if (hanging) return { kind: 'failed', why: 'an earlier nvidia-smi hangs and cannot be killed' };
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
