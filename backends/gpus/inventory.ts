import { BenchError } from '../../domain/errors.js';
import { parseBusyGpus, parseGpus, type Gpu, type GpuSetting } from '../../domain/run/gpus.js';
import type { NvidiaSmi } from './nvidia-smi.js';

export interface GpusNow {
  ids: string[];
  /** All of them while their use is unknown. */
  busy: string[];
  /** Why the GPUs or their use are unknown; null: known, or there is no nvidia-smi. */
  unknown: string | null;
}

export interface GpuInventory {
  /** Null: the driver has not answered yet. */
  ids: string[] | null;
  now: () => Promise<GpusNow>;
}

/**
 * The GPUs that this machine leases; without nvidia-smi, numbered GPUs unchecked. Throws BenchError
 * (usage) if a listed GPU is missing or cannot be checked.
 */
export async function gpuInventory(setting: GpuSetting, ask: NvidiaSmi): Promise<GpuInventory> {
  if (setting.kind === 'declared') return unchecked(setting.ids);
  const first = await ask('gpu', 'index,uuid');
  if (first.kind === 'absent') return unchecked(setting.kind === 'auto' ? [] : possible(setting.ids));
  if (first.kind === 'ok') return watched(setting.kind === 'auto' ? null : setting.ids, parseGpus(first.csv), ask);
  if (setting.kind === 'listed')
    throw new BenchError('usage', `nvidia-smi cannot list this machine's GPUs: ${first.why}`, {
      code: 'setting.invalid',
      remedy: 'Fix the driver, or lease no GPUs (BENCH_GPUS=none).',
      fields: { gpus: 'none' },
    });
  return awaited(first.why, ask);
}

/** Only numbers and UUIDs: runs could not start with anything else. */
function possible(ids: string[]): string[] {
  const impossible = ids.find((id) => !/^(\d+|(GPU|MIG)-[0-9A-Za-z-]+)$/.test(id));
  if (impossible === undefined) return ids;
  throw new BenchError('usage', `this machine has no GPU ${impossible}: there is no nvidia-smi`, {
    code: 'setting.invalid',
    remedy: 'Set BENCH_GPUS to device numbers such as 0,1, or to none, or unset it.',
    fields: { gpus: true },
  });
}

const unchecked = (ids: string[]): GpuInventory => ({
  ids,
  now: async () => ({ ids, busy: [], unknown: null }),
});

/** Retries until the driver answers: it may still be starting, or be fixed later. */
function awaited(why: string, ask: NvidiaSmi): GpuInventory {
  let found: GpuInventory | null = null;
  let asked = false;
  return {
    ids: null,
    async now() {
      if (found !== null) return found.now();
      // The caller has just asked at the start.
      const answer = asked ? await ask('gpu', 'index,uuid') : { kind: 'failed' as const, why };
      asked = true;
      if (answer.kind === 'ok') return (found = watched(null, parseGpus(answer.csv), ask)).now();
      return { ids: [], busy: [], unknown: answer.kind === 'failed' ? answer.why : GONE };
    },
  };
}

/** `wanted` null: all of them. */
function watched(wanted: string[] | null, gpus: readonly Gpu[], ask: NvidiaSmi): GpuInventory {
  const ids = wanted ?? gpus.map((gpu) => gpu.index);
  const known = new Map(gpus.flatMap((gpu) => [[gpu.index, gpu] as const, [gpu.uuid, gpu] as const]));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined)
    throw new BenchError('usage', `this machine has no GPU ${missing}: nvidia-smi lists ${named(gpus)}`, {
      code: 'setting.invalid',
      remedy: 'Correct the list of GPUs (BENCH_GPUS), or unset it to lease all of them.',
      fields: { gpus: true },
    });
  const twice = ids.find((id, i) => ids.findIndex((other) => known.get(other) === known.get(id)) !== i);
  if (twice !== undefined)
    throw new BenchError('usage', `GPU ${twice} is named twice, by its number and its UUID`, {
      code: 'setting.invalid',
      remedy: 'List each GPU once.',
    });
  return {
    ids,
    async now() {
      if (ids.length === 0) return { ids, busy: [], unknown: null };
      const answer = await ask('compute-apps', 'gpu_uuid,pid');
      // Do not reuse the last answer: a new user of the GPU is what matters.
      if (answer.kind !== 'ok') return { ids, busy: ids, unknown: answer.kind === 'failed' ? answer.why : GONE };
      const computing = parseBusyGpus(answer.csv, gpus);
      return { ids, busy: ids.filter((id) => computing.includes(known.get(id)?.index ?? '')), unknown: null };
    },
  };
}

const GONE = 'nvidia-smi has disappeared';

const named = (gpus: readonly Gpu[]): string => gpus.map((gpu) => gpu.index).join(', ') || 'none';
