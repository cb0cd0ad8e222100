import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { probeEngine } from '../../backends/docker/engine.js';
import { newRunId } from '../../domain/ids.js';
import type { SandboxRef, SandboxSpec } from '../../domain/ports/sandbox-port.js';
import { skipWhatIsTheProgramsOwn } from './brief-adapters.js';
import { dockerUnderTest, localUnderTest, podmanUnderTest, type BackendUnderTest } from './sandbox-port-backends.js';
import { onPodmanToo } from './on-podman.js';

const never = new AbortController().signal;
const root = process.getuid?.() === 0;
const engineExpected = root || (await probeEngine()).kind === 'ok';

describe.runIf(engineExpected)('a frozen sandbox on docker', () => suite('docker', dockerUnderTest));
describe.runIf(onPodmanToo)('a frozen sandbox on podman', () => suite('podman', podmanUnderTest));
// Without root the run's processes are no user's of their own, and are left alone.
describe.runIf(process.platform === 'linux' && root)('a frozen sandbox on local', () => suite('local', localUnderTest));

function suite(name: string, make: () => Promise<BackendUnderTest>) {
  let backend: BackendUnderTest;
  let ref: SandboxRef;
  let commands: number;
  beforeAll(async () => {
    backend = await make();
  });
  beforeEach(skipWhatIsTheProgramsOwn(name, /stands still|left behind/));
  beforeEach(async () => {
    ref = { runId: newRunId(), epoch: 1 };
    commands = 0;
    await backend.sandbox.start(spec());
    // A daemon that notes the time: what it would do with a secret that it hears.
    await shell(`KEPT=yes; (while date +%s.%N > beat.tmp; do mv beat.tmp beat; sleep 0.02; done) > /dev/null 2>&1 &`);
    await vi.waitFor(beat, { timeout: 60_000, interval: 20 });
    return () => backend.sandbox.stop(ref);
  });
  afterAll(() => backend?.close());

  const spec = (): SandboxSpec => ({
    ...ref,
    starterDir: backend.starterDir,
    limits: { memoryMb: 512, cpus: 2, pids: 200, workspaceMb: 200 },
    network: 'none',
    gpuDevices: [],
  });
  const shell = (script: string) => backend.sandbox.run(ref, { n: ++commands, script, timeLimitSeconds: 60 }, never);
  async function beat(): Promise<string> {
    const found = await backend.sandbox.collect(ref, ['beat'], 1000);
    if (found.kind !== 'files') throw new Error('it has not begun');
    return String(found.files[0]?.bytes);
  }
  const goesOn = async (after: string): Promise<void> => {
    await vi.waitFor(async () => expect(await beat()).not.toBe(after), { timeout: 60_000, interval: 20 });
  };

  it('stands still, daemons too, until it is thawed, and gives out its files', async () => {
    expect(await backend.sandbox.freeze(ref)).toBe(true);
    const still = await beat();
    await sleep(500);
    expect(await beat()).toBe(still);
    // By another attempt at the same evaluation.
    expect(await backend.another().freeze(ref)).toBe(true);
    await backend.another().thaw(ref);
    await goesOn(still);
    await backend.sandbox.thaw(ref);
  });

  it('keeps the shell that was getting ready for the next command, however long it stood still', async () => {
    await backend.sandbox.freeze(ref);
    // Longer than a shell may take to get ready.
    await sleep(3000);
    await backend.sandbox.thaw(ref);
    expect(await shell('echo "$KEPT"')).toMatchObject({ output: 'yes\n', notice: null, stateReset: false });
  });

  it('that its worker left behind goes on when it is started again', async () => {
    await backend.sandbox.freeze(ref);
    const still = await beat();
    expect(await backend.another().start(spec())).toMatchObject({ created: false });
    await goesOn(still);
    expect(await shell('echo "$KEPT"')).toMatchObject({ output: 'yes\n' });
  });

  it('is removed like any other, and is then no obstacle', async () => {
    await backend.sandbox.freeze(ref);
    await backend.sandbox.stop(ref);
    expect(await backend.traces(ref)).toEqual([]);
    expect(await backend.sandbox.freeze(ref)).toBe(true);
    await backend.sandbox.thaw(ref);
  });
}
