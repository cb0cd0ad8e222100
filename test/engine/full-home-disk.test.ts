import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Backends } from '../../domain/ports/backends.js';
import { createDiskRoom } from '../../backends/docker/disk-room.js';
import { SandboxLost } from '../../domain/errors.js';
import { newRunId } from '../../domain/ids.js';
import type { SandboxRef } from '../../domain/ports/sandbox-port.js';
import { diskGuard } from '../../worker/disk-guard.js';
import { mountSmallDisk, type SmallDisk } from '../setup/small-disk.js';
import { skipWhatIsTheProgramsOwn } from './brief-adapters.js';
import { onPodmanToo } from './on-podman.js';
import { dockerUnderTest, podmanUnderTest, type BackendUnderTest } from './sandbox-port-backends.js';
import { LONG } from '../setup/long.js';

/** File systems for workspaces, and this test's own small disk, take root. */
const root = process.getuid?.() === 0;
const never = new AbortController().signal;

describe.runIf(root)('a full home disk on docker', () => suite('docker', dockerUnderTest));
describe.runIf(root && onPodmanToo)('a full home disk on podman', () => suite('podman', podmanUnderTest));

async function drained(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) void piece;
}

function suite(name: string, make: (parent: string) => Promise<BackendUnderTest>) {
  let disk: string;
  let small: SmallDisk;
  let backend: BackendUnderTest;

  beforeAll(async () => {
    disk = await mkdtemp(join(tmpdir(), 'bench-full-disk-'));
    small = mountSmallDisk(disk, '640M');
    backend = await make(disk);
  });
  afterAll(async () => {
    small.free();
    await backend?.close();
    small.unmount();
    await rm(disk, { recursive: true });
  });

  afterEach(() => small.free());

  async function started(epoch = 1, runId = newRunId(), workspaceMb = 200): Promise<SandboxRef> {
    const limits = { memoryMb: 512, cpus: 2, pids: 200, workspaceMb };
    const ref = { runId, epoch };
    const made = { ...ref, starterDir: backend.starterDir, limits, network: 'none' as const, gpuDevices: [] };
    expect(await backend.sandbox.start(made)).toMatchObject({ workspaceLimit: 'file_system' });
    return ref;
  }
  /** The kernel frees a removed disk with its last mount namespace, perhaps a new container's. */
  const freed = (megabytes: number) =>
    vi.waitFor(
      async () => {
        const { bavail, bsize } = await statfs(disk);
        expect((bavail * bsize) / 2 ** 20).toBeGreaterThan(megabytes);
      },
      { timeout: 300_000, interval: 50 },
    );
  const run = (ref: SandboxRef, n: number, script: string) =>
    backend.sandbox.run(ref, { n, script, timeLimitSeconds: 120 }, never);

  const inside = (ref: SandboxRef, path: string) =>
    join(backend.layout.run(ref.runId, ref.epoch).dir, 'disk/home/workspace', path);
  /** The kernel has noticed that what lies in memory cannot be kept. */
  const broken = (ref: SandboxRef) =>
    vi.waitFor(
      () => {
        execFileSync('sh', ['-c', 'sync -f "$1" || true', '-', inside(ref, '.')], { stdio: 'ignore' });
        const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
        expect(mounts.find((line) => line.includes(`${ref.runId}/`))).toMatch(/[ ,](emergency_)?ro(,|$)/);
      },
      { timeout: 300_000, interval: 200 },
    );

  beforeEach(skipWhatIsTheProgramsOwn(name, /could not keep|unmounted and mounted/));

  it('loses the sandbox whose command could not keep what it wrote, and a new one can be started in its place', async () => {
    const ref = await started();
    expect((await run(ref, 1, 'echo early > early')).exitCode).toBe(0);
    const hurt = run(
      ref,
      2,
      'touch begun; until [ -e go ]; do sleep 0.1; done; head -c 60000000 /dev/urandom > late',
    ).then(
      (outcome) => outcome,
      (error: unknown) => error,
    );
    await vi.waitFor(() => expect(existsSync(inside(ref, 'begun'))).toBe(true), 120_000);
    await writeFile(inside(ref, 'go'), '');
    small.fill();
    await broken(ref);
    // Its outcome waits for room.
    small.free();
    const error = await hurt;
    expect(error).toBeInstanceOf(SandboxLost);
    expect((error as Error).message).toMatch(/disk of run .* was made read-only by the kernel/);
    // Nothing of it is left, and whoever asks again hears the same.
    expect(await backend.traces(ref)).toEqual([]);
    await expect(run(ref, 2, 'true')).rejects.toThrow(SandboxLost);
    const next = await started(2, ref.runId);
    expect(await run(next, 1, 'echo again > early; cat early')).toMatchObject({ exitCode: 0, output: 'again\n' });
    await backend.sandbox.stop(next);
  });

  it.each([
    [
      'files are collected',
      async (ref: SandboxRef) => (await backend.sandbox.collect(ref, ['late'], 100_000_000)).kind,
    ],
    ['it is kept', (ref: SandboxRef) => drained(backend.sandbox.snapshot(ref, { maxBytes: 1e9 }, never))],
    ['the next command runs', (ref: SandboxRef) => run(ref, 2, 'ls')],
  ])('loses the sandbox when its disk broke before %s', async (_, work) => {
    const ref = await started();
    expect((await run(ref, 1, 'head -c 60000000 /dev/urandom > late')).exitCode).toBe(0);
    small.fill();
    await broken(ref);
    small.free();
    await expect(work(ref)).rejects.toThrow(SandboxLost);
    expect(await backend.traces(ref)).toEqual([]);
  });

  it('loses the sandbox whose broken disk was unmounted and mounted again', async () => {
    const ref = await started();
    expect((await run(ref, 1, 'head -c 60000000 /dev/urandom > late')).exitCode).toBe(0);
    small.fill();
    await broken(ref);
    small.free();
    await backend.reboot(ref);
    await expect(run(ref, 2, 'ls')).rejects.toThrow(SandboxLost);
    expect(await backend.traces(ref)).toEqual([]);
  });

  it('starts no sandbox without room for its disk, says so, and starts it with one when there is room', async () => {
    const runId = newRunId();
    small.fill();
    // One that can be written to a little: the run's own directory.
    execFileSync('truncate', ['-s', '-40M', join(disk, 'ballast')]);
    await expect(started(1, runId)).rejects.toThrow(/no room for another workspace: \d+ MB are free/);
    small.free();
    const ref = await started(1, runId);
    await backend.sandbox.stop(ref);
  });

  it('stops whose disk grows the most before the home’s is full: its sandbox is lost, and asks for more room; the others go on', async () => {
    const { layout, room, sandbox } = backend;
    const events: string[] = [];
    const guard = diskGuard({
      ...{ layout, room, log: { warn: () => undefined, debug: () => undefined }, lowMb: 60 },
      backends: { docker: { sandbox }, podman: { sandbox: { list: async () => [] } } } as unknown as Backends,
      store: { addEvent: async ({ runId, kind, detail }) => void events.push(`${runId} ${kind}: ${detail}`) },
    });
    const modest = await started();
    const greedy = await started(1, newRunId(), 450);
    expect(await guard()).toBeNull();
    expect((await run(modest, 1, 'head -c 150000000 /dev/zero > mine; sync mine')).exitCode).toBe(0);
    const script = 'for i in $(seq 20); do head -c 30000000 /dev/zero > $i; sync $i; done; sleep 600';
    const hurt = run(greedy, 1, script).catch((error: unknown) => error);
    await vi.waitFor(async () => expect(await guard()).toEqual(greedy), { timeout: 300_000, interval: 50 });
    expect(await hurt).toBeInstanceOf(SandboxLost);
    expect(events).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${greedy.runId} disk_low: the home's disk is nearly full, \\d+ MB are free: container 1, whose files`,
        ),
      ),
    ]);
    expect(await backend.traces(greedy)).toEqual([]);
    await expect(run(greedy, 2, 'true')).rejects.toThrow(SandboxLost);
    expect(await guard()).toBeNull();
    expect(await run(modest, 2, 'stat -c %s mine')).toMatchObject({ output: '150000000\n', exitCode: 0 });
    // What every run is promised, and what this one had used; it would be stopped there again.
    await expect(started(2, greedy.runId, 450)).rejects.toThrow(
      /no room for another workspace: .* 5\d\d MB are needed/,
    );
    await sandbox.stop(modest);
    await freed(550);
    const next = await started(2, greedy.runId, 450);
    await sandbox.stop(next);
  });

  it('stops nobody for a disk that others fill, or for what every run is promised', async () => {
    const { layout, room } = backend;
    const ref = await started();
    expect(await room.largestWriter(150)).toBeNull();
    expect((await run(ref, 1, 'head -c 100000000 /dev/zero > mine; sync mine')).exitCode).toBe(0);
    small.fill();
    execFileSync('truncate', ['-s', '-40M', join(disk, 'ballast')]);
    expect(await room.largestWriter(150)).toBeNull();
    expect(await createDiskRoom(layout).largestWriter(150)).toBeNull();
    await backend.sandbox.stop(ref);
  });

  it.runIf(LONG)('keeps the sandbox of an agent that has filled its own allowance, or locked itself out', async () => {
    const ref = await started();
    const filled = await run(
      ref,
      1,
      'head -c 300000000 /dev/zero > big; echo $?; sync; rm big; chmod 500 .; echo > x; echo $?',
    );
    expect(filled.output).toMatch(/No space left on device\n1\n[^]*\n1\n$/);
    expect(await run(ref, 2, 'chmod 700 .; echo on > on; cat on')).toMatchObject({ output: 'on\n', exitCode: 0 });
    expect(await backend.sandbox.collect(ref, ['on'], 100)).toMatchObject({ kind: 'files' });
    await backend.sandbox.stop(ref);
  });
}
