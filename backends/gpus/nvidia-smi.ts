import { execFile } from 'node:child_process';

/** `absent`: there is no such program. `failed`: the driver did not answer it. */
type NvidiaSmiAnswer = { kind: 'ok'; text: string } | { kind: 'absent' } | { kind: 'failed'; why: string };

/** A query of these columns as CSV; `-L`: GPUs and MIG instances; `-q -x`: all as XML. */
type NvidiaSmiQuestion =
  | [what: 'gpu' | 'compute-apps', columns: string]
  | [option: '-L']
  | [option: '-q', format: '-x'];

export type NvidiaSmi = (...question: NvidiaSmiQuestion) => Promise<NvidiaSmiAnswer>;

/** A program that hangs in the driver cannot be killed: give up, and start no other meanwhile. */
export function nvidiaSmi(limitMs = 10_000): NvidiaSmi {
  let hanging = false;
  return async (...question) => {
    if (hanging) return { kind: 'failed', why: 'an earlier nvidia-smi hangs and cannot be killed' };
    return new Promise((answer) => {
      const child = execFile('nvidia-smi', argsOf(question), { maxBuffer: MOST_BYTES }, (error, stdout, stderr) => {
        clearTimeout(limit);
        if (error === null) answer({ kind: 'ok', text: stdout });
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

/** The XML of a large host. */
const MOST_BYTES = 16 * 2 ** 20;

const argsOf = ([what, columns]: NvidiaSmiQuestion): string[] =>
  what === 'gpu' || what === 'compute-apps'
    ? [`--query-${what}=${columns}`, '--format=csv,noheader']
    : [what, ...(columns === undefined ? [] : [columns])];

const firstLine = (text: string): string | undefined =>
  text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
