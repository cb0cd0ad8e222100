import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { removeDisks, unneededDisks } from '../../backends/docker/unneeded-disks.js';
import { SandboxLost } from '../../domain/errors.js';
import { newRunId } from '../../domain/ids.js';
import type { CommandOutcome, KeptDisks, SandboxRef } from '../../domain/ports/sandbox-port.js';
import { onPodmanToo } from './on-podman.js';
import { dockerUnderTest, podmanUnderTest, type BackendUnderTest } from './sandbox-port-backends.js';
import { LONG } from '../setup/long.js';
import { notTested } from '../setup/not-tested.js';

const never = new AbortController().signal;
/** Workspaces have disks of their own where this process may mount them. */
const root = process.getuid?.() === 0;
if (!root) notTested('disks of workspaces', 'only root can mount them');

describe.runIf(root)('disks kept on docker', () => suite(dockerUnderTest));
describe.runIf(root && onPodmanToo)('disks kept on podman', () => suite(podmanUnderTest));

const MB = 1024 * 1024;
const limits = { maxBytes: 300 * MB };
/** From this size on, files that a shared host file system copies for free are on the kept disk. */
const LARGE = 60;

/** Workspace, home and temporary directory in full, one line each. */
const LISTING = `
  for place in ~/workspace ~ /tmp; do
    cd "$place" && find . -path ./workspace -prune -o -printf '%P %y %m %n %s %l\\n' | sort
    find . -path ./workspace -prune -o -type f -exec sha256sum {} + | sort
  done; cd ~/workspace; python3 -c "import os; print([(n, os.getxattr('odd\\nname', n)) for n in os.listxattr('odd\\nname')])"; stat -c %b holes`;
const BUILT = `
  mkdir -p deep/er empty old; printf weights > deep/er/w.bin; printf x > tool; chmod 755 tool; printf kept > old/inside
  ln -s deep/er/w.bin link; ln -s nowhere dangling; ln deep/er/w.bin twin; printf x > $'odd\\nname'; printf x > 'wh.x:y,z'
  python3 -c "import os; open(b'raw\\xff', 'w').write('raw'); os.setxattr('odd\\nname', 'user.note', b'kept')"
  truncate -s 50M holes; printf end >> holes; printf home > ~/.note; mkdir /tmp/work; printf tmp > /tmp/work/file; rm data/rows.csv
  cd deep/er; export SEEN='a b'; f() { echo "f $1"; }`;

function suite(make: () => Promise<BackendUnderTest>) {
  let backend: BackendUnderTest;
  let disks: KeptDisks;
  beforeAll(async () => {
    backend = await make();
    if (backend.sandbox.disks === undefined) throw new Error('this adapter keeps no disks');
    disks = backend.sandbox.disks;
  });
  afterAll(async () => {
    await backend?.close();
  });

  const specOf = (ref: SandboxRef, disk?: string) => ({
    ...ref,
    starterDir: backend.starterDir,
    limits: { memoryMb: 512, cpus: 2, pids: 200, workspaceMb: 200 },
    network: 'none' as const,
    gpuDevices: [],
    ...(disk !== undefined && { restore: { disk } }),
  });
  async function started(disk?: string): Promise<SandboxRef> {
    const ref = { runId: newRunId(), epoch: 1 };
    expect(await backend.sandbox.start(specOf(ref, disk))).toMatchObject({
      created: true,
      workspaceLimit: 'file_system',
    });
    return ref;
  }
  const run = (ref: SandboxRef, n: number, script: string): Promise<CommandOutcome> =>
    backend.sandbox.run(ref, { n, script, timeLimitSeconds: 60 }, never);
  const told = async (ref: SandboxRef, n: number, script: string) => (await run(ref, n, script)).output;
  const large = (mb = LARGE) => `head -c ${mb * MB} /dev/urandom > ~/large;`;
  const stop = async (...refs: SandboxRef[]) => {
    for (const ref of refs) await backend.sandbox.stop(ref);
  };
  const dirOf = (ref: SandboxRef) => backend.layout.run(ref.runId, ref.epoch).dir;
  const mountsOf = (ref: SandboxRef) =>
    execFileSync('cat', ['/proc/self/mountinfo'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes(ref.runId));

  it.each([['small', ''], ...(LONG ? [['large', large()]] : [])])(
    'give a sandbox the files and the shell of another, as they were: a %s one',
    async (size = '', more = '') => {
      const first = await started();
      expect(await run(first, 1, more + BUILT)).toMatchObject({ exitCode: 0, output: '' });
      expect((await disks.keep(first, `whole-${size}`, limits))?.bytes).toBeGreaterThan(0);
      const before = await told(first, 2, `(${LISTING})`);
      await run(first, 3, 'echo later > ~/workspace/tool; rm -r ~/workspace/deep');

      const second = await started(`whole-${size}`);
      expect(await told(second, 2, 'echo "$SEEN"; f x; cat w.bin; pwd')).toBe(
        'a b\nf x\nweights/home/agent/workspace/deep/er\n',
      );
      expect((await told(second, 3, `(${LISTING})`)).split('\n')).toEqual(before.split('\n'));
      // Hard links stay, folders are renamed, deletions stay, also after a restart of the host.
      const change = `printf more >> ~/workspace/twin; cat w.bin; cd ~/workspace; rm link; rm -r empty; mkdir empty; touch empty/new
      python3 -c "import os; os.rename('old', 'renamed'); os.rename('deep', 'deeper')"; cat renamed/inside; ls old link 2>&1 | wc -l; ls empty`;
      expect(await told(second, 4, change)).toBe('weightsmorekept2\nnew\n');
      // A process that still sees the files holds them briefly, as a container's cleanup does.
      const holder = spawn('unshare', ['--mount', 'sh', '-c', 'echo sees; exec sleep 2'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await once(holder.stdout, 'data');
      await backend.reboot(second);
      expect(mountsOf(second)).toEqual([]);
      expect(await told(second, 5, 'cat deeper/er/w.bin renamed/inside; [ -e link ] || echo gone')).toBe(
        'weightsmorekeptgone\n',
      );
      // Whoever starts it once more finds it as it is.
      expect(await backend.another().start(specOf(second, `whole-${size}`))).toMatchObject({ created: false });
      expect(await told(second, 6, 'cat twin')).toBe('weightsmore');
      // Neither of the two, nor the kept one, has seen what another did.
      expect(await told(first, 4, 'cat ~/workspace/tool; ls ~/workspace/old')).toBe('later\ninside\n');
      const third = await started(`whole-${size}`);
      expect((await told(third, 1, `(${LISTING})`)).split('\n')).toEqual(before.split('\n'));
      await stop(first, second, third);
      expect([...mountsOf(second), ...(await backend.traces(second))]).toEqual([]);
    },
  );

  it.runIf(LONG)('of sandboxes that stand on kept ones hold what was changed, and give all of it', async () => {
    const first = await started();
    await run(first, 1, `${large()} mkdir a; echo 1 > a/one; echo 1 > a/two; mkdir b; echo 1 > b/one`);
    await disks.keep(first, 'level-1', limits);
    const second = await started('level-1');
    await run(
      second,
      1,
      'rm a/one; echo 2 > a/two; mv a moved; rm -r b; mkdir b; echo 2 > b/two; echo 2 > /tmp/second',
    );
    const kept = await disks.keep(second, 'level-2', limits);
    const own = (await stat(join(backend.layout.disks, 'level-2', 'disk.img'))).blocks * 512;
    const shared = (await stat(join(backend.layout.disks, 'level-1', 'disk.img'))).blocks * 512;
    // Or it shares blocks, and its size tells nothing.
    if (existsSync(join(dirOf(second), 'lower-0'))) expect(own).toBeLessThan(shared / 4);
    expect(kept?.bytes).toBeGreaterThan(LARGE * MB);
    await stop(first, second);
    const third = await started('level-2');
    const look = 'ls a 2>&1; ls moved b; cat moved/two /tmp/second; wc -c < ~/large';
    const expected = `ls: cannot access 'a': No such file or directory\nb:\ntwo\n\nmoved:\ntwo\n2\n2\n${LARGE * MB}\n`;
    expect(await told(third, 1, look)).toBe(expected);
    await run(third, 2, 'echo 3 > b/three');
    expect(await disks.keep(third, 'level-3', limits)).not.toBeNull();
    const fourth = await started('level-3');
    expect(await told(fourth, 1, `cat b/three; rm b/three; ${look}`)).toBe(`3\n${expected}`);
    await stop(third, fourth);
  });

  it('are not made where a copy would tear names of one file apart, or hold too much: an archive is', async () => {
    const first = await started();
    await run(first, 1, `${large()} echo 1 > one; ln one two`);
    expect(await disks.keep(first, 'too-large', { maxBytes: 10 * MB })).toBeNull();
    expect(await disks.has('too-large')).toBe(false);
    await disks.keep(first, 'links', limits);
    const second = await started('links');
    await run(second, 1, 'echo 2 >> one');
    expect(await told(second, 2, 'cat two')).toBe('1\n2\n');
    if (existsSync(join(dirOf(second), 'lower-0'))) expect(await disks.keep(second, 'torn', limits)).toBeNull();
    await stop(first, second);
  });

  it('bound what a sandbox on them may write, and what it may see', async () => {
    const first = await started();
    await run(first, 1, large(120));
    await disks.keep(first, 'bounded', limits);
    const second = await started('bounded');
    const filled = await run(second, 1, 'head -c 150000000 /dev/zero > more; ls -s more; sleep 30');
    expect(filled.stoppedBy === 'workspace' || filled.output.includes('No space left')).toBe(true);
    await run(second, 2, 'rm more ~/large');
    expect(await run(second, 3, 'head -c 150000000 /dev/zero > more')).toMatchObject({ exitCode: 0 });
    expect((await run(second, 4, 'head -c 150000000 /dev/zero > again')).exitCode).not.toBe(0);
    await stop(first, second);
  });

  it('are whole or not there, however often and by whomever they are made', async () => {
    const first = await started();
    await run(first, 1, 'echo 1 > one');
    const other = backend.another().disks;
    const keptBy = (by: KeptDisks | undefined) =>
      by?.keep(first, 'twice', limits).then(
        (found) => found?.bytes,
        () => 'refused',
      ) ?? Promise.resolve('keeps none');
    const kept = await Promise.all([keptBy(disks), keptBy(other)]);
    expect(kept.some((one) => typeof one === 'number')).toBe(true);
    await run(first, 2, 'echo 2 > one');
    await disks.keep(first, 'twice', limits);
    expect(await readdir(join(backend.layout.disks, 'partial'))).toEqual([]);
    const second = await started('twice');
    expect(await told(second, 1, 'cat one')).toBe('1\n');
    expect(await disks.has('twice')).toBe(true);
    await truncate(join(backend.layout.disks, 'twice', 'disk.img'), 4096);
    expect(await disks.has('twice')).toBe(false);
    const ref = { runId: newRunId(), epoch: 1 };
    await expect(backend.sandbox.start(specOf(ref, 'twice'))).rejects.toThrow(
      /could not be unpacked.*not on this host/,
    );
    // It is made anew, in place of what is damaged.
    await disks.keep(first, 'twice', limits);
    expect(await disks.has('twice')).toBe(true);
    await stop(first, second, ref);
  });

  it.runIf(LONG)(
    'leave no sandbox frozen whose keeper was killed, and a restore that was cut off begins anew',
    async () => {
      const first = await started();
      await run(first, 1, `${large()} echo 1 > one`);
      await disks.keep(first, 'cut', limits);
      await writeFile(join(dirOf(first), 'frozen'), '');
      execFileSync('fsfreeze', ['-f', join(dirOf(first), 'disk')]);
      expect(await run(first, 2, 'echo 2 > one; cat one')).toMatchObject({ exitCode: 0, output: '2\n' });
      await writeFile(join(dirOf(first), 'frozen'), '');
      execFileSync('fsfreeze', ['-f', join(dirOf(first), 'disk')]);
      await stop(first);

      const second = await started('cut');
      await backend.lose(second);
      // As if it had not come so far as to begin.
      await rm(join(dirOf(second), 'control', 'seeded'));
      await rm(join(dirOf(second), 'stack.json'));
      expect(await backend.sandbox.start(specOf(second, 'cut'))).toMatchObject({ created: true });
      expect(await told(second, 1, 'cat one; wc -c < ~/large')).toBe(`1\n${LARGE * MB}\n`);
      await stop(second);
    },
  );

  // Without it, archives are given above where no disk can be kept.
  it.runIf(LONG)('give the archive that their sandbox would have given, and nothing of that is left', async () => {
    const first = await started();
    await run(first, 1, large() + BUILT);
    await disks.keep(first, 'archived-1', limits);
    const second = await started('archived-1');
    await run(second, 2, 'cd ~/workspace; rm -r empty; echo 2 > tool; mv old new');
    await disks.keep(second, 'archived-2', limits);
    const digest = async (pieces: AsyncIterable<Uint8Array>) => {
      const hash = createHash('sha256');
      for await (const piece of pieces) hash.update(piece);
      return hash.digest('hex');
    };
    const wanted = await digest(backend.sandbox.snapshot(second, limits, never));
    const others = await backend.sandbox.list();
    const found: SandboxRef[][] = [];
    const looked = async function* () {
      for await (const piece of disks.archive('archived-2', limits, never)) {
        if (found.length === 0) found.push(await backend.sandbox.list());
        yield piece;
      }
    };
    expect(await digest(looked())).toBe(wanted);
    // It is nobody's sandbox meanwhile, and none afterwards.
    expect(found).toEqual([others]);
    expect(await backend.another().list()).toEqual(others);
    await expect(digest(disks.archive('archived-2', { maxBytes: MB }, never))).rejects.toThrow(
      /more than 1048576 bytes/,
    );
    await expect(digest(disks.archive('unknown', limits, never))).rejects.toThrow(/not on this host/);
    expect(await backend.another().list()).toEqual(others);
    await stop(first, second);
  });

  it('go when no snapshot and no sandbox needs them, directly or below another', async () => {
    const first = await started();
    await run(first, 1, large());
    await disks.keep(first, 'lowest', limits);
    const second = await started('lowest');
    await disks.keep(second, 'upper', limits);
    await stop(first);
    const later = new Date(Date.now() + 60_000);
    const unneeded = async (needed: string[], before = later) =>
      (await unneededDisks(backend.layout, new Set(needed), before)).map(({ path }) => basename(path));
    const stacked = existsSync(join(dirOf(second), 'lower-0'));
    const mine = (names: string[]) => names.filter((name) => name === 'lowest' || name === 'upper').sort();
    expect(mine(await unneeded([]))).toEqual(stacked ? ['upper'] : ['lowest', 'upper']);
    await stop(second);
    expect(mine(await unneeded(['upper']))).toEqual(stacked ? [] : ['lowest']);
    expect(mine(await unneeded(['lowest']))).toEqual(['upper']);
    expect(await unneeded([], new Date(0))).toEqual([]);
    const all = await unneededDisks(backend.layout, new Set(), later);
    expect(await removeDisks(all, later)).toEqual(all);
    expect(await disks.has('upper')).toBe(false);
    expect((await readdir(backend.layout.disks)).filter((name) => name !== 'partial')).toEqual([]);
  });

  it('are not kept of a sandbox that is gone, and a disk whose base was taken away is lost', async () => {
    const first = await started();
    await run(first, 1, `${large()} echo 1 > one`);
    await disks.keep(first, 'base', limits);
    await backend.lose(first);
    await expect(disks.keep(first, 'gone', limits)).rejects.toThrow(SandboxLost);
    const second = await started('base');
    if (existsSync(join(dirOf(second), 'lower-0'))) {
      const running = run(second, 1, 'touch begun; until [ -e go ]; do sleep 0.1; done').catch(
        (error: unknown) => error,
      );
      const inside = join(dirOf(second), 'files/home/workspace');
      await vi.waitFor(() => expect(existsSync(join(inside, 'begun'))).toBe(true), 60_000);
      await writeFile(join(inside, 'go'), '');
      execFileSync('umount', ['-l', join(dirOf(second), 'files')]);
      expect(await running).toBeInstanceOf(SandboxLost);
      expect(await backend.traces(second)).toEqual([]);
    }
    await stop(first, second);
  });
}
