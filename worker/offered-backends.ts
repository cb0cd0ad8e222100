import { probeEngine } from '../backends/docker/engine.js';
import { BenchError } from '../domain/errors.js';
import type { Backend } from '../domain/run/run.js';
import type { WorkerSettings } from '../operations/home/worker-settings.js';

export async function offeredBackends(engines: WorkerSettings['engines']): Promise<Backend[]> {
  const probes = await Promise.all(
    Object.values(engines).map(async (address): Promise<Backend[]> => {
      if (address instanceof BenchError) return [];
      return (await probeEngine(address)).kind === 'ok' ? [address.backend] : [];
    }),
  );
  return [...probes.flat(), 'local'];
}
