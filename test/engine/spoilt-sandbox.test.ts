import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { probeEngine } from '../../backends/docker/engine.js';
import { newRunId } from '../../domain/ids.js';
import type { Collected, SandboxRef } from '../../domain/ports/sandbox-port.js';
import { skipWhatIsTheProgramsOwn } from './brief-adapters.js';
import { onPodmanToo } from './on-podman.js';
import { dockerUnderTest, podmanUnderTest, remoteUnderTest, type BackendUnderTest } from './sandbox-port-backends.js';
import { LONG } from '../setup/long.js';

const never = new AbortController().signal;
const engineExpected = process.getuid?.() === 0 || (await probeEngine()).kind === 'ok';

describe.runIf(engineExpected)('a sandbox that its agent spoils, on docker', () => suite('docker', dockerUnderTest));
describe.runIf(engineExpected)('a sandbox that its agent spoils, on docker (remote)', () =>
  suite('docker (remote)', remoteUnderTest),
);
describe.runIf(onPodmanToo)('a sandbox that its agent spoils, on podman', () => suite('podman', podmanUnderTest));

/** What an agent can do to end a run without a score must be its own end. */
function suite(name: string, make: () => Promise<BackendUnderTest>) {
  let backend: BackendUnderTest;
  beforeAll(async () => {
    backend = await make();
  });
  afterAll(async () => {
    await backend?.close();
  });

  async function started(): Promise<SandboxRef> {
    const ref = { runId: newRunId(), epoch: 1 };
    const limits = { memoryMb: 512, cpus: 2, pids: 300, workspaceMb: 200 };
    await backend.sandbox.start({ ...ref, starterDir: backend.starterDir, limits, network: 'none', gpuDevices: [] });
    return ref;
  }
  const run = (ref: SandboxRef, n: number, script: string) =>
    backend.sandbox.run(ref, { n, script, timeLimitSeconds: 120 }, never);
  const collect = (ref: SandboxRef, file: string): Promise<Collected> =>
    backend.sandbox.collect(ref, [file], 1_000_000);

  beforeEach(skipWhatIsTheProgramsOwn(name, /FIFOs and back/));

  // Without it, sandbox-port-hostile.test.ts exhausts the memory.
  it.runIf(LONG)(
    'keeps its supervisor when many small processes of the agent’s, that would hide from the kernel’s choice, take all memory',
    async () => {
      const ref = await started();
      const hide = 'echo 0 > /proc/$$/oom_score_adj';
      const scores = 'cat /proc/$$/oom_score_adj /proc/$PPID/oom_score_adj';
      const [own, supervisors] = (await run(ref, 0, `(${hide}) 2>/dev/null; ${scores}`)).output.split('\n').map(Number);
      const byCapability = supervisors === -999;
      const version = 'import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))';
      const landlock = Number((await run(ref, 1, `python3 -c '${version}'`)).output) >= 2;
      const isProtected = byCapability || landlock;
      if (!isProtected) console.warn('neither CAP_SYS_RESOURCE nor Landlock here: the supervisor is not protected');
      expect(own).toBe(isProtected ? 1000 : 0);
      // Each smaller than the supervisor, and none the first to be chosen if the agent has its way.
      const one = "x=$(head -c 5000000 /dev/zero | tr '\\0' x); sleep 10";
      const greedy = `(${hide}) 2>/dev/null; for i in $(seq 250); do (${one}) & done; wait; true`;
      const outcome = await run(ref, 2, greedy);
      const next = await run(ref, 3, 'echo on; cat /proc/$PPID/oom_score_adj');
      // If neither is available, only the command is lost, as the agent wished.
      const lost = !isProtected && outcome.lost;
      expect(next).toMatchObject({ output: `on\n${supervisors}\n`, lost: false });
      expect([outcome.lost, outcome.restarted, next.restarted]).toEqual([lost, lost ? true : undefined, undefined]);
      await backend.sandbox.stop(ref);
    },
  );

  it.each([
    ['a dangling link', 'ln -s nowhere ~/workspace'],
    ['a link to itself', 'ln -s workspace ~/workspace'],
    ['a file', 'echo x > ~/workspace'],
    ['a FIFO', 'mkfifo ~/workspace'],
  ])('has its submission refused when %s lies in place of the workspace, after a restart, too', async (_, replace) => {
    const ref = await started();
    await run(ref, 1, `cd /; mv ~/workspace ~/away; ${replace}`);
    expect(await collect(ref, 'strategy.py')).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/^the workspace is a (link|file|fifo), not a directory$/) as string,
    });
    await backend.crash(ref);
    expect(await run(ref, 2, 'echo on')).toMatchObject({ exitCode: 0, lost: false });
    expect(await collect(ref, 'strategy.py')).toMatchObject({ kind: 'refused' });
    await backend.sandbox.stop(ref);
    expect(await backend.traces(ref)).toEqual([]);
  });

  it('is missing its submission when the workspace is gone', async () => {
    const ref = await started();
    await run(ref, 1, 'cd /; mv ~/workspace ~/away');
    expect(await collect(ref, 'strategy.py')).toEqual({ kind: 'missing', paths: ['strategy.py'] });
    await backend.sandbox.stop(ref);
  });

  it.runIf(LONG || name === 'docker')(
    'hangs neither what is collected nor its own removal by files that turn into FIFOs and back',
    async () => {
      const ref = await started();
      const swap = 'while :; do mkfifo p 2>/dev/null; mv -fT p model; echo x > q; mv -fT q model; done';
      await run(ref, 1, `echo x > model; mkdir -p nest; (setsid bash -c '${swap}' &) > /dev/null 2>&1`);
      const seen = new Set<string>();
      await vi.waitFor(
        async () => {
          for (let i = 0; i < 20; i++) seen.add((await collect(ref, 'model')).kind);
          expect(seen).toContain('refused');
          expect(seen).toContain('files');
        },
        { timeout: 300_000, interval: 0 },
      );
      await backend.sandbox.stop(ref);
      expect(await backend.traces(ref)).toEqual([]);
    },
  );
}
