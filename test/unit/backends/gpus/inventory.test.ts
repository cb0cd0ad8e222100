import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gpuInventory } from '../../../../backends/gpus/inventory.js';
import { nvidiaSmi } from '../../../../backends/gpus/nvidia-smi.js';

const auto = { kind: 'auto' as const };
const named = (...ids: string[]) => ({ kind: 'listed' as const, ids });
const FAILS = 'echo "NVIDIA-SMI has failed because it could not talk to the driver."; exit 9';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bench-test-nvidia-smi-'));
  vi.stubEnv('PATH', dir);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

/** The machine has an nvidia-smi, which does this from now on. */
function driver(script: string): void {
  writeFileSync(join(dir, 'nvidia-smi'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(dir, 'nvidia-smi'), 0o755);
}
/** Two GPUs; something computes on these. */
const works = (...busy: string[]): void =>
  driver(
    `case "$1" in --query-gpu*) echo "0, GPU-a"; echo "1, GPU-b";; *) ${busy.map((uuid) => `echo "${uuid}, 42";`).join(' ')} ;; esac`,
  );

describe('without nvidia-smi', () => {
  it('there are no GPUs but those that are named, unchecked', async () => {
    expect(await (await gpuInventory(auto, nvidiaSmi())).now()).toEqual({ ids: [], busy: [], unknown: null });
    const { now } = await gpuInventory(named('0', '7'), nvidiaSmi());
    expect(await now()).toEqual({ ids: ['0', '7'], busy: [], unknown: null });
  });

  it('a word that can be no GPU is refused', async () => {
    await expect(gpuInventory(named('0', 'nope'), nvidiaSmi())).rejects.toMatchObject({
      type: 'usage',
      message: 'this machine has no GPU nope: there is no nvidia-smi',
    });
  });
});

describe('with nvidia-smi', () => {
  it('there are the GPUs that it lists, and those on which something computes are busy', async () => {
    works('GPU-b');
    const { ids, now } = await gpuInventory(auto, nvidiaSmi());
    expect(ids).toEqual(['0', '1']);
    expect(await now()).toEqual({ ids: ['0', '1'], busy: ['1'], unknown: null });
    expect(await (await gpuInventory(named('GPU-b'), nvidiaSmi())).now()).toMatchObject({ busy: ['GPU-b'] });
    await expect(gpuInventory(named('2'), nvidiaSmi())).rejects.toThrow('this machine has no GPU 2');
    await expect(gpuInventory(named('nope'), nvidiaSmi())).rejects.toThrow('no GPU nope: nvidia-smi lists 0, 1');
    await expect(gpuInventory(named('0', 'GPU-a'), nvidiaSmi())).rejects.toThrow('GPU GPU-a is named twice');
  });

  it.each([
    ['fails', FAILS, 'NVIDIA-SMI has failed because it could not talk to the driver.'],
    ['goes away', null, 'nvidia-smi has disappeared'],
  ])('that later %s, all GPUs count as busy until it answers again', async (_, script, why) => {
    works();
    const { now } = await gpuInventory(auto, nvidiaSmi());
    expect(await now()).toMatchObject({ busy: [], unknown: null });
    if (script === null) rmSync(join(dir, 'nvidia-smi'));
    else driver(script);
    expect(await now()).toEqual({ ids: ['0', '1'], busy: ['0', '1'], unknown: why });
    works('GPU-a');
    expect(await now()).toEqual({ ids: ['0', '1'], busy: ['0'], unknown: null });
  });

  it('that fails at the start, GPUs are found when it answers', async () => {
    driver(FAILS);
    const { ids, now } = await gpuInventory(auto, nvidiaSmi());
    expect(ids).toBeNull();
    for (let beat = 0; beat < 2; beat++)
      expect(await now()).toEqual({ ids: [], busy: [], unknown: expect.stringContaining('has failed') as string });
    works('GPU-b');
    expect(await now()).toEqual({ ids: ['0', '1'], busy: ['1'], unknown: null });
    driver(FAILS);
    expect(await now()).toMatchObject({ busy: ['0', '1'] });
  });

  it('that fails at the start, GPUs that are named are refused', async () => {
    driver(FAILS);
    await expect(gpuInventory(named('0'), nvidiaSmi())).rejects.toMatchObject({
      message: expect.stringContaining("cannot list this machine's GPUs: NVIDIA-SMI has failed") as string,
      remedy: expect.stringContaining('BENCH_GPUS=none') as string,
    });
    expect(await (await gpuInventory({ kind: 'declared', ids: ['0'] }, nvidiaSmi())).now()).toMatchObject({
      ids: ['0'],
    });
  });

  const MIG_LIST = `GPU 0: NVIDIA H200 (UUID: GPU-a)
  MIG 3g.71gb     Device  0: (UUID: MIG-0c757cd7-e942-5726-a0b8-0e8fb7067135)
  MIG 1c.3g.71gb+me Device  1: (UUID: MIG-7b1f2c9d-0000-5000-8000-000000000001)
GPU 1: NVIDIA H200 (UUID: GPU-b)
`;
  const [FIRST, SECOND] = ['MIG-0c757cd7-e942-5726-a0b8-0e8fb7067135', 'MIG-7b1f2c9d-0000-5000-8000-000000000001'];
  /** GPU 0 has two instances; a process computes on the second one, another draws on the first. */
  const partitioned = (process: string, list = MIG_LIST): void => {
    writeFileSync(join(dir, 'list'), list);
    writeFileSync(
      join(dir, 'all.xml'),
      `<nvidia_smi_log><gpu id="00000000:10:00.0"><mig_devices>
        <mig_device><index>0</index><gpu_instance_id>1</gpu_instance_id><compute_instance_id>0</compute_instance_id></mig_device>
        <mig_device><index>1</index><gpu_instance_id>5</gpu_instance_id><compute_instance_id>0</compute_instance_id></mig_device>
      </mig_devices><processes>
        <process_info><gpu_instance_id>1</gpu_instance_id><compute_instance_id>0</compute_instance_id><type>G</type></process_info>
        ${process}
      </processes></gpu><gpu id="00000000:15:00.0"><mig_devices>None</mig_devices><processes></processes></gpu></nvidia_smi_log>`,
    );
    driver(`case "$1" in
      --query-gpu*) echo "0, GPU-a, Enabled"; echo "1, GPU-b, Disabled";;
      --query-compute-apps*) echo "GPU-a, 42";;
      -L) /bin/cat ${dir}/list;;
      -q) /bin/cat ${dir}/all.xml;;
      esac`);
  };
  const on = (gi: string) =>
    `<process_info><gpu_instance_id>${gi}</gpu_instance_id><compute_instance_id>0</compute_instance_id><pid>42</pid><type>C</type></process_info>`;

  it('that lists MIG instances, each is a GPU of its own in place of its GPU', async () => {
    partitioned(on('5'));
    const { ids, now } = await gpuInventory(auto, nvidiaSmi());
    expect(ids).toEqual(['1', FIRST, SECOND]);
    expect(await now()).toEqual({ ids: ['1', FIRST, SECOND], busy: [SECOND], unknown: null });
    expect((await gpuInventory(named(SECOND, 'GPU-b'), nvidiaSmi())).ids).toEqual([SECOND, 'GPU-b']);
    partitioned(on('N/A'));
    expect(await now()).toMatchObject({ busy: [FIRST, SECOND] });
  });

  it('a GPU in MIG mode is not leased as a whole, and none is leased without instances', async () => {
    partitioned('');
    await expect(gpuInventory(named('0'), nvidiaSmi())).rejects.toThrow(
      `GPU 0 is in MIG mode, so only its instances can be leased: ${FIRST} (3g.71gb), ${SECOND} (1c.3g.71gb+me)`,
    );
    await expect(gpuInventory(named('7'), nvidiaSmi())).rejects.toThrow(`nvidia-smi lists 1, ${FIRST} (3g.71gb), `);
    partitioned('', 'GPU 0: NVIDIA H200 (UUID: GPU-a)\nGPU 1: NVIDIA H200 (UUID: GPU-b)\n');
    expect((await gpuInventory(auto, nvidiaSmi())).ids).toEqual(['1']);
    await expect(gpuInventory(named('0'), nvidiaSmi())).rejects.toMatchObject({
      message: expect.stringContaining('it has none') as string,
      remedy: expect.stringContaining('nvidia-smi mig -cgi') as string,
    });
  });

  it('that hangs is ended, and counts as one that fails', async () => {
    driver('exec /bin/sleep 600');
    const ask = nvidiaSmi(100);
    expect(await ask('gpu', 'index,uuid')).toEqual({ kind: 'failed', why: 'no answer within 0.1 s' });
    const hangs = await ask('gpu', 'index,uuid');
    expect(hangs.kind).toBe('failed');
  });
});
