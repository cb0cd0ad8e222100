import type { GpuSetting } from '../../domain/run/gpus.js';

/** A worker with missing GPUs would not start. BenchError (usage) names those that exist. */
export async function checkGpus(setting: GpuSetting): Promise<void> {
  if (setting.kind !== 'listed') return;
  const [{ gpuInventory }, { nvidiaSmi }] = await Promise.all([
    import('../../backends/gpus/inventory.js'),
    import('../../backends/gpus/nvidia-smi.js'),
  ]);
  await gpuInventory(setting, nvidiaSmi());
}
