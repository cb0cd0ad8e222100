import { availableParallelism } from 'node:os';
import { connectEngine, probeEngine } from '../backends/docker/engine.js';
import { unenforcedLimits } from '../backends/docker/enforced-limits.js';
import { BenchError } from '../domain/errors.js';
import type { LimitKind } from '../domain/run/run.js';
import type { WorkerSettings } from '../operations/home/worker-settings.js';
import type { Logger } from './logger.js';

/** One run per CPU, unless BENCH_SLOTS is set, where no engine enforces memory limits. */
export async function withAdmittedRuns(
  settings: WorkerSettings,
  env: Readonly<Record<string, string | undefined>>,
  log: Pick<Logger, 'warn'>,
): Promise<WorkerSettings> {
  if (!settings.roles.includes('host')) return settings;
  const found = await Promise.all(
    Object.values(settings.engines).map(async (address) => {
      if (address instanceof BenchError) return [];
      const probe = await probeEngine(address);
      if (probe.kind !== 'ok') return [];
      const unenforced = await unenforcedLimits(connectEngine(address)).catch((): LimitKind[] => []);
      if (unenforced.length > 0)
        log.warn({ engine: address.url, unenforced }, 'this engine does not enforce these limits of containers');
      return [unenforced.includes('memory')];
    }),
  );
  const engines = found.flat();
  if ((env['BENCH_SLOTS'] ?? '') !== '' || engines.length === 0 || engines.includes(false)) return settings;
  return { ...settings, slots: Math.min(settings.slots, availableParallelism()) };
}
