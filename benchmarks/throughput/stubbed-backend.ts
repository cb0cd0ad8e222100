import type { Backends } from '../../domain/ports/backends.js';
import type { Requested } from '../../domain/run/run.js';

/** Every command's output: as long as a typical observation. */
const OUTPUT = 'epoch 1 of 10: loss 0.1234, accuracy 0.5678\n'.repeat(40);

/** Commands do nothing; only `validate` and `submit` request an evaluation. */
export const stubbedBackend: Backends['local'] = {
  sandbox: {
    backend: 'local',
    isolation: 'none',
    start: () =>
      Promise.resolve({
        ...{
          isolation: 'none',
          imageDigest: null,
          workspace: '/workspace',
          created: true,
          workspaceLimit: null,
          unenforcedLimits: [],
        },
      }),
    begunAfter: () => Promise.resolve(null),
    run: (_, { n, script }) =>
      Promise.resolve({
        ...{
          exitCode: 0,
          timedOut: false,
          interrupted: false,
          stoppedBy: null,
          lost: false,
          output: `${n}\n${OUTPUT}`,
        },
        ...{ outputBytes: OUTPUT.length, stateReset: false, notice: null, workingDir: '/workspace' },
        ...{ requested: requestedBy(script), toolState: { openFile: null }, memories: [], ms: 0, pid: null },
      }),
    interrupt: () => Promise.resolve(),
    printed: () => Promise.resolve(''),
    exec: () => Promise.resolve({ kind: 'refused', reason: 'invalid', why: 'there are no programs here' }),
    stopExec: () => Promise.resolve(),
    collect: (_, paths) =>
      Promise.resolve({ kind: 'files', files: paths.map((path) => ({ path, bytes: Buffer.from('') })) }),
    snapshot: () => {
      throw new Error('there are no snapshots here: submit with --snapshot-every 0');
    },
    freeze: () => Promise.resolve(true),
    thaw: () => Promise.resolve(),
    networkRequests: () => Promise.resolve([]),
    stop: () => Promise.resolve(),
    list: () => Promise.resolve([]),
  },
  evaluator: {
    isolation: 'none',
    evaluate: ({ task }) =>
      Promise.resolve({ kind: 'ok', metrics: Object.fromEntries(Object.keys(task.metrics).map((name) => [name, 1])) }),
  },
  leftovers: { find: () => Promise.resolve([]) },
};

const requestedBy = (script: string): Requested => {
  const [word] = script.trim().split(/\s/);
  return word === 'validate' || word === 'submit' ? word : null;
};
