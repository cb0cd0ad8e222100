import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { probeEngine } from '../../backends/docker/engine.js';
import { newRunId } from '../../domain/ids.js';
import { smallJob } from './evaluation-job.js';
import { type EvaluatorHarness, evaluatorHarnesses } from './evaluator-harness.js';
import { skipWhatIsTheProgramsOwn } from './brief-adapters.js';
import { dockerUnderTest, podmanUnderTest, remoteUnderTest, type BackendUnderTest } from './sandbox-port-backends.js';
import { onPodmanToo } from './on-podman.js';

const never = new AbortController().signal;
const engineExpected = process.getuid?.() === 0 || (await probeEngine()).kind === 'ok';

describe.runIf(engineExpected)("the machine's figures on docker", () => suite('docker', dockerUnderTest));
describe.runIf(onPodmanToo)("the machine's figures on podman", () => suite('podman', podmanUnderTest));

/** Reads them, uses a lot of memory, and reads them again. */
const MOVED = `
import glob, os
def figures():
    found = {}
    for path in ['/proc/' + name for name in ('meminfo', 'vmstat', 'zoneinfo', 'buddyinfo', 'loadavg', 'stat', 'softirqs')] \\
            + glob.glob('/proc/pressure/*') + glob.glob('/sys/devices/system/node/node*/meminfo'):
        found[path] = open(path).read()
    return found
before = figures()
# Written to, so that it is there.
used = [bytearray(os.urandom(1) * 1000000) for _ in range(100)]
moved = sorted(path for path, text in figures().items() if text != before[path])
`;

function suite(name: 'docker' | 'podman', make: () => Promise<BackendUnderTest>) {
  let backend: BackendUnderTest;
  let evaluator: EvaluatorHarness;
  beforeAll(async () => {
    backend = await make();
    evaluator = await (evaluatorHarnesses[name] as () => Promise<EvaluatorHarness>)();
  });
  afterAll(async () => {
    await backend?.close();
    await evaluator?.close();
  });

  async function inSandbox(at: BackendUnderTest, script: string): Promise<string> {
    const ref = { runId: newRunId(), epoch: 1 };
    const limits = { memoryMb: 512, cpus: 2, pids: 200 };
    await at.sandbox.start({ ...ref, starterDir: at.starterDir, limits, network: 'none', gpuDevices: [] });
    try {
      const outcome = await at.sandbox.run(ref, { n: 1, script, timeLimitSeconds: 60 }, never);
      return outcome.output;
    } finally {
      await at.sandbox.stop(ref);
    }
  }

  beforeEach(skipWhatIsTheProgramsOwn(name, /do not move|localhost/));

  it('do not move in the sandbox with what is done to its memory', async () => {
    expect(await inSandbox(backend, `python3 - <<'END'\n${MOVED}\nprint(moved)\nEND`)).toBe('[]\n');
  });

  it('say how large the sandbox is, and serve the programs that ask for them', async () => {
    const script = `grep MemTotal /proc/meminfo; python3 -c 'import os; print(os.cpu_count() > 0, open("/proc/stat").readline()[:4])'`;
    expect(await inSandbox(backend, script)).toBe('MemTotal:         524288 kB\nTrue cpu \n');
  });

  it('do not move in the evaluation either', async () => {
    const job = await smallJob(`${MOVED}\nraise ValueError('moved %s' % moved)\ndef row_strategy(history): return 0\n`);
    try {
      const outcome = await evaluator.port.evaluate(job, never);
      expect(outcome).toMatchObject({ kind: 'rejected', message: expect.stringContaining('moved []') as string });
    } finally {
      await rm(job.taskDir, { recursive: true, force: true });
    }
  });

  it('leave the evaluation an address for localhost', async () => {
    const asks = "import socket\nraise ValueError('it is ' + socket.gethostbyname('localhost'))\n";
    const job = await smallJob(`${asks}def row_strategy(history): return 0\n`);
    try {
      expect(await evaluator.port.evaluate(job, never)).toMatchObject({
        kind: 'rejected',
        message: expect.stringContaining('it is 127.0.0.1') as string,
      });
    } finally {
      await rm(job.taskDir, { recursive: true, force: true });
    }
  });

  it.runIf(name === 'docker')('are hidden by an engine that cannot mount our files, but for three', async () => {
    const remote = await remoteUnderTest();
    try {
      const moved = await inSandbox(remote, `python3 - <<'END'\n${MOVED}\nprint(moved)\nEND`);
      expect(moved).not.toMatch(/vmstat|zoneinfo|pressure|node0/);
    } finally {
      await remote.close();
    }
  });
}
