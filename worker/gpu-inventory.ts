import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { BenchError } from '../domain/errors.js';
import { parseBusyGpus, parseGpus, type Gpu, type GpuSetting } from '../domain/gpus.js';

const QUERY_LIMIT_MS = 10_000;

export interface GpuInventory {
  /** Device ids that runs may lease. */
  ids: string[];
  /** Of these, the ones on which something computes now. */
  busy(): Promise<string[]>;
}

/** The GPUs of this machine as far as it hands them out. Throws BenchError (usage) if it has not what is listed. */
export async function gpuInventory(setting: GpuSetting): Promise<GpuInventory> {
  if (setting.kind === 'declared') return { ids: setting.ids, busy: async () => [] };
  const gpus = await installed();
  if (gpus === null) return { ids: setting.kind === 'auto' ? [] : setting.ids, busy: async () => [] };
  const ids = setting.kind === 'auto' ? gpus.map((gpu) => gpu.index) : setting.ids;
  const known = new Map(gpus.flatMap((gpu) => [[gpu.index, gpu] as const, [gpu.uuid, gpu] as const]));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined)
    throw new BenchError('usage', `this machine has no GPU ${missing}: nvidia-smi lists ${named(gpus)}`, {
      remedy: 'Correct --gpus (BENCH_GPUS), or leave it out to hand out all of them.',
    });
  const twice = ids.find((id, i) => ids.findIndex((other) => known.get(other) === known.get(id)) !== i);
  if (twice !== undefined)
    throw new BenchError('usage', `GPU ${twice} is named twice, by its number and its UUID`, {
      remedy: 'Name each GPU once.',
    });
  return {
    ids,
    async busy() {
      const computing = parseBusyGpus((await query('compute-apps', 'gpu_uuid,pid')) ?? '', gpus);
      return ids.filter((id) => computing.includes(known.get(id)?.index ?? ''));
    },
  };
}

async function installed(): Promise<Gpu[] | null> {
  const csv = await query('gpu', 'index,uuid');
  return csv === null ? null : parseGpus(csv);
}

const named = (gpus: readonly Gpu[]): string => gpus.map((gpu) => gpu.index).join(', ') || 'none';

/** Null: there is no nvidia-smi, or no driver that it can ask. */
async function query(what: 'gpu' | 'compute-apps', columns: string): Promise<string | null> {
  try {
    const args = [`--query-${what}=${columns}`, '--format=csv,noheader'];
    return (await promisify(execFile)('nvidia-smi', args, { timeout: QUERY_LIMIT_MS })).stdout;
  } catch {
    return null;
  }
}
