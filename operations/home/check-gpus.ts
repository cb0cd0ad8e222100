import type { GpuSetting } from '../../domain/run/gpus.js';

/** A worker on this machine would not start with GPUs that are not there. Throws BenchError (usage), naming those that are. */
export async function checkGpus(setting: GpuSetting): Promise<void> {
  if (setting.kind !== 'listed') return;
  const [{ gpuInventory }, { nvidiaSmi }] = await Promise.all([
    import('../../backends/gpus/inventory.js'),
    import('../../backends/gpus/nvidia-smi.js'),
  ]);
  await gpuInventory(setting, nvidiaSmi());
}
