import { gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { pack, type Header } from 'tar-stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { skipWhatIsTheProgramsOwn } from './brief-adapters.js';
import { probeEngine } from '../../backends/docker/engine.js';
import { newRunId } from '../../domain/ids.js';
import type { CommandOutcome, SandboxRef, SandboxRestore } from '../../domain/ports/sandbox-port.js';
import { onPodmanToo } from './on-podman.js';
import {
  dockerUnderTest,
  localUnderTest,
  podmanUnderTest,
  remoteUnderTest,
  type BackendUnderTest,
} from './sandbox-port-backends.js';
import { LONG } from '../setup/long.js';

const never = new AbortController().signal;
const engineExpected = process.getuid?.() === 0 || (await probeEngine()).kind === 'ok';

describe.runIf(engineExpected)('snapshots on docker', () => suite('docker', dockerUnderTest));
describe.runIf(LONG && engineExpected)('snapshots on docker (remote)', () => suite('docker (remote)', remoteUnderTest));
describe.runIf(onPodmanToo)('snapshots on podman', () => suite('podman', podmanUnderTest));
describe.runIf(process.platform === 'linux')('snapshots on local', () => suite('local', localUnderTest));

const MB = 1024 * 1024;

/** The workspace, home and temporary directory in full, one line each, as the agent sees it. */
const LISTING = `
  for place in ~/workspace ~ /tmp; do
    cd "$place" && find . -path ./workspace -prune -o -printf '%P %y %m %n %l\\n' | sort
    find . -path ./workspace -prune -o -type f -exec sha256sum {} + | sort
  done`;

function suite(name: string, make: () => Promise<BackendUnderTest>) {
  let backend: BackendUnderTest;
  beforeAll(async () => {
    backend = await make();
  });
  afterAll(async () => {
    await backend?.close();
  });
  beforeEach(skipWhatIsTheProgramsOwn(name, /^hold|^are refused|through a link/));

  async function started(restore?: SandboxRestore): Promise<SandboxRef> {
    const ref = { runId: newRunId(), epoch: 1 };
    await backend.sandbox.start({
      ...ref,
      starterDir: backend.starterDir,
      limits: { memoryMb: 512, cpus: 2, pids: 200, workspaceMb: 200 },
      network: 'none',
      gpuDevices: [],
      ...(restore !== undefined && { restore }),
    });
    return ref;
  }
  const run = (ref: SandboxRef, n: number, script: string): Promise<CommandOutcome> =>
    backend.sandbox.run(ref, { n, script, timeLimitSeconds: 60 }, never);
  const taken = async (ref: SandboxRef, maxBytes = 200 * MB): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of backend.sandbox.snapshot(ref, { maxBytes }, never)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const restoreOf = (archive: Buffer): SandboxRestore => ({
    bytes: archive.length,
    // In pieces, as from a file.
    async *open() {
      for (let at = 0; at < archive.length; at += 100_000) yield archive.subarray(at, at + 100_000);
    },
  });
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

  it('hold files, modes, links, folders, directory, variables, functions and the open file', async () => {
    const first = await started();
    const built = await run(
      first,
      1,
      `mkdir -p deep/er empty/inner locked; printf weights > deep/er/w.bin; printf '#!/bin/sh\necho ran' > tool; chmod 755 tool
       ln -s deep/er/w.bin link; ln -s /etc/passwd outside; ln -s nowhere dangling; ln deep/er/w.bin twin; mkfifo fifo
       printf x > 'spa ce é'; python3 -c "open(b'raw\\xff', 'w').write('raw')"; printf secret > locked/inside; chmod 0 locked/inside locked
       python3 -c "import random; open('big', 'wb').write(random.Random(1).randbytes(12 << 20))"
       printf home > ~/.note; mkdir /tmp/work; printf tmp > /tmp/work/file; rm data/rows.csv
       open strategy.py > /dev/null; cd deep/er; export SEEN='a b'; list=(1 'two three'); f() { echo "f $1"; }; umask 027`,
    );
    expect(built).toMatchObject({ exitCode: 0, output: '' });
    const archive = await taken(first);
    expect(sha256(await taken(first))).toBe(sha256(archive));
    const before = await run(first, 2, `rm ~/workspace/fifo; chmod 700 ~/workspace/locked; (${LISTING})`);

    const second = await started(restoreOf(archive));
    const shell = await run(
      second,
      2,
      'pwd; echo "$SEEN ${list[1]}"; f x; umask; cat w.bin; ~/workspace/tool; [ -e ~/workspace/fifo ]',
    );
    expect(shell).toMatchObject({
      output: `${shell.workingDir}\na b two three\nf x\n0027\nweightsran\n`,
      exitCode: 1,
      notice: null,
      toolState: { openFile: expect.stringMatching(/workspace\/strategy\.py$/) as string },
    });
    expect(shell.workingDir).toMatch(/workspace\/deep\/er$/);
    const after = await run(second, 3, `chmod 700 ~/workspace/locked; (${LISTING})`);
    expect(after.output.split('\n')).toEqual(before.output.split('\n'));
    expect(after.output).toContain('outside l 777 1 /etc/passwd');
    expect((await run(second, 4, 'printf more >> ~/workspace/twin; cat w.bin')).output).toBe('weightsmore');

    // Whoever starts it once more finds it as it is.
    await backend.another().start({
      ...second,
      starterDir: backend.starterDir,
      limits: { memoryMb: 512, cpus: 2, pids: 200, workspaceMb: 200 },
      network: 'none',
      gpuDevices: [],
      restore: restoreOf(archive),
    });
    expect((await run(second, 5, 'cat w.bin')).output).toBe('weightsmore');
    await backend.sandbox.stop(first);
    await backend.sandbox.stop(second);
  });

  it('are refused when the files are longer than the limit, holes counted, and when the sandbox is gone', async () => {
    const ref = await started();
    await run(ref, 1, 'truncate -s 50M holes');
    await expect(taken(ref, 10 * MB)).rejects.toThrow(/more than 10485760 bytes/);
    await run(ref, 2, 'rm holes');
    expect((await taken(ref)).length).toBeGreaterThan(0);
    await backend.lose(ref);
    await expect(taken(ref)).rejects.toThrow(/gone|no such container/i);
    await backend.sandbox.stop(ref);
  });

  const hostile: [string, (Partial<Header> & { name: string })[]][] = [
    ['a name that climbs out', [{ name: 'workspace/../../../escaped' }]],
    ['an absolute name', [{ name: '/escaped' }]],
    [
      'a way through a link',
      [{ name: 'workspace/l', type: 'symlink', linkname: '/' }, { name: 'workspace/l/escaped' }],
    ],
    ['a twin of a foreign file', [{ name: 'workspace/twin', type: 'link', linkname: '/etc/passwd' }]],
    ['a device', [{ name: 'workspace/null', type: 'character-device', devmajor: 1, devminor: 3 }]],
  ];
  it.each(hostile)('made by somebody else are not unpacked: %s', async (_, entries) => {
    const archive = pack();
    for (const entry of entries)
      if (entry.type === undefined) archive.entry(entry, 'text');
      else archive.entry(entry);
    archive.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of archive) chunks.push(chunk as Buffer);
    const ref = { runId: newRunId(), epoch: 1 };
    const start = backend.sandbox.start({
      ...ref,
      starterDir: backend.starterDir,
      limits: { memoryMb: 512, cpus: 2, pids: 200 },
      network: 'none',
      gpuDevices: [],
      restore: restoreOf(gzipSync(Buffer.concat(chunks))),
    });
    await expect(start).rejects.toThrow(/the snapshot could not be unpacked/);
    await backend.sandbox.stop(ref);
    expect(await backend.traces(ref)).toEqual([]);
  });
}
