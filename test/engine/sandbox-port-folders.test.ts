import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { probeEngine } from '../../backends/docker/engine.js';
import { newRunId } from '../../domain/ids.js';
import type { Collected, CollectOptions, SandboxRef } from '../../domain/ports/sandbox-port.js';
import { skipWhatIsTheProgramsOwn } from './brief-adapters.js';
import { onPodmanToo } from './on-podman.js';
import { dockerUnderTest, localUnderTest, podmanUnderTest, type BackendUnderTest } from './sandbox-port-backends.js';

const never = new AbortController().signal;
const engineExpected = process.getuid?.() === 0 || (await probeEngine()).kind === 'ok';

describe.runIf(engineExpected)('collecting folders on docker', () => suite('docker', dockerUnderTest));
describe.runIf(onPodmanToo)('collecting folders on podman', () => suite('podman', podmanUnderTest));
describe.runIf(process.platform === 'linux')('collecting folders on local', () => suite('local', localUnderTest));

function suite(name: string, make: () => Promise<BackendUnderTest>) {
  let backend: BackendUnderTest;
  const ref: SandboxRef = { runId: newRunId(), epoch: 1 };
  let commands = 0;

  beforeAll(async () => {
    backend = await make();
    await backend.sandbox.start({
      ...ref,
      starterDir: backend.starterDir,
      limits: { memoryMb: 512, cpus: 2, pids: 200 },
      network: 'none',
      gpuDevices: [],
    });
    await shell(`
      mkdir -p model/deep/er model/none many empty/inner nest
      printf weights > model/weights.bin; printf '\\0\\377' > model/deep/er/b; : > model/zero; printf x > 'model/spa ce é.txt'
      printf top > answer.csv; printf more > notes.txt
      for i in $(seq 30); do echo $i > many/$i; done
      for bad in link linkdir fifo socket sparse name dangling; do mkdir bad-$bad; printf ok > bad-$bad/ok; done
      ln -s /etc/passwd bad-link/passwd; ln -s / bad-linkdir/root; mkfifo bad-fifo/fifo; ln -s nowhere bad-dangling/x
      truncate -s 10G bad-sparse/holes; ln -s model modellink; printf file > plainfile
      cd bad-socket && python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('socket')"; cd ..
      python3 -c "open(b'bad-name/\\xff\\xfe', 'w')"
    `);
  });
  afterAll(async () => {
    await backend?.sandbox.stop(ref);
    await backend?.close();
  });

  beforeEach(skipWhatIsTheProgramsOwn(name, /every file below|refuses|changes while/));

  async function shell(script: string): Promise<void> {
    const outcome = await backend.sandbox.run(ref, { n: ++commands, script, timeLimitSeconds: 60 }, never);
    expect(outcome).toMatchObject({ exitCode: 0, output: '' });
  }
  const collect = (more: CollectOptions, files: string[] = [], maxBytes = 10_000): Promise<Collected> =>
    backend.sandbox.collect(ref, files, maxBytes, more);
  const taken = (found: Collected): string[] => {
    if (found.kind !== 'files') throw new Error(JSON.stringify(found));
    return found.files.map(({ path, bytes }) => `${path}: ${bytes.toString('latin1')}`);
  };

  it('takes every file below them, sorted, with its bytes', async () => {
    expect(taken(await collect({ folders: ['model'] }, ['answer.csv']))).toEqual([
      'answer.csv: top',
      'model/deep/er/b: \0\xff',
      'model/spa ce é.txt: x',
      'model/weights.bin: weights',
      'model/zero: ',
    ]);
    expect(taken(await collect({ folders: ['model/deep'] }))).toEqual(['model/deep/er/b: \0\xff']);
  });

  it('takes optional files where they are, and does without where they are not', async () => {
    expect(taken(await collect({ optional: ['notes.txt', 'absent.txt', 'absent/x'] }, ['answer.csv']))).toEqual([
      'answer.csv: top',
      'notes.txt: more',
    ]);
    expect(await collect({ optional: ['modellink/weights.bin'] })).toMatchObject({ kind: 'refused' });
  });

  it('calls folders missing that are absent or hold no file, together with missing files', async () => {
    expect(await collect({ folders: ['absent', 'empty', 'model'] }, ['gone.csv'])).toEqual({
      kind: 'missing',
      paths: ['gone.csv', 'absent/', 'empty/'],
    });
  });

  it.each([
    ['bad-link', /bad-link\/passwd is a (sym)?link/],
    ['bad-linkdir', /bad-linkdir\/root is a (sym)?link/],
    ['bad-dangling', /bad-dangling\/x is a (sym)?link/],
    ['bad-fifo', /bad-fifo\/fifo is a fifo/],
    ['bad-sparse', /more than 10000 bytes in all/],
    ['bad-name', /name is not UTF-8/],
    ['modellink', /modellink is a (sym)?link/],
    ['modellink/deep', /modellink is a (sym)?link/],
    ['plainfile', /plainfile is a file, not a directory/],
    ['../workspace/model', /not a path inside the workspace/],
    ['/etc', /not a path inside the workspace/],
  ])('refuses %s', async (folder, reason) => {
    expect(await collect({ folders: [folder] })).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(reason) as string,
    });
  });

  it('names a socket that it refuses', async () => {
    expect(await collect({ folders: ['bad-socket'] })).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('bad-socket/socket is a socket') as string,
    });
  });

  it('counts files and folders of all of them against one limit', async () => {
    expect(taken(await collect({ folders: ['many', 'model'], maxFiles: 37 }))).toHaveLength(34);
    expect(await collect({ folders: ['many', 'model'], maxFiles: 36 })).toEqual({
      kind: 'refused',
      reason: expect.stringMatching(/^\S+\/\S+: more than 36 files and folders in all$/) as string,
    });
    expect(await collect({ folders: ['many'], maxFiles: 30 }, ['answer.csv'])).toMatchObject({ kind: 'refused' });
  });

  it('counts the bytes of all of them against one limit', async () => {
    expect(taken(await collect({ folders: ['model'] }, ['answer.csv'], 13))).toHaveLength(5);
    expect(await collect({ folders: ['model'] }, ['answer.csv'], 12)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('more than 12 bytes in all') as string,
    });
  });

  it('is not delayed or led astray by a folder that changes while it is read', async () => {
    await shell(
      `nohup sh -c 'while [ ! -e stop ]; do rm -rf nest/a; mkdir nest/a; echo x > nest/a/f; rm -rf nest/a; ln -s /etc nest/a; rm nest/a; done' > /dev/null 2>&1 &`,
    );
    for (let i = 0; i < 20; i++) {
      const found = await collect({ folders: ['nest'] });
      if (found.kind === 'files') expect(taken(found).every((line) => /^nest\/a\/f: (x\n)?$/.test(line))).toBe(true);
      else expect(['missing', 'refused']).toContain(found.kind);
    }
    await shell('touch stop');
  });
}
