import { BenchError } from '../../domain/errors.js';
import { parseBusyGpus, parseGpus, type Gpu, type GpuSetting } from '../../domain/gpus.js';
import type { NvidiaSmi } from './nvidia-smi.js';

export interface GpusNow {
  /** Device ids that runs may lease. */
  ids: string[];
  /** Of these, the ones on which something computes; all of them while that cannot be known. */
  busy: string[];
  /** Why nobody knows what computes where, or which GPUs there are; null: it is known, or there is no nvidia-smi to ask. */
  unknown: string | null;
}

export interface GpuInventory {
  /** Device ids that runs may lease; null: the driver has not told them yet. */
  ids: string[] | null;
  now: () => Promise<GpusNow>;
}

/**
 * The GPUs of this machine as far as it hands them out. Without nvidia-smi, those that are numbered, unchecked. Throws BenchError
 * (usage) if it has not what is listed, or cannot say so.
 */
export async function gpuInventory(setting: GpuSetting, ask: NvidiaSmi): Promise<GpuInventory> {
  if (setting.kind === 'declared') return unchecked(setting.ids);
  const first = await ask('gpu', 'index,uuid');
  if (first.kind === 'absent') return unchecked(setting.kind === 'auto' ? [] : possible(setting.ids));
  if (first.kind === 'ok') return watched(setting.kind === 'auto' ? null : setting.ids, parseGpus(first.csv), ask);
  if (setting.kind === 'listed')
    throw new BenchError('usage', `nvidia-smi cannot tell which GPUs this machine has: ${first.why}`, {
      code: 'setting.invalid',
      remedy: 'Mend the driver, or hand out no GPUs (BENCH_GPUS=none).',
      fields: { gpus: 'none' },
    });
  return awaited(first.why, ask);
}

/** A number or a UUID names a GPU somewhere; any other word would be offered to runs, which then could not start. */
function possible(ids: string[]): string[] {
  const impossible = ids.find((id) => !/^(\d+|(GPU|MIG)-[0-9A-Za-z-]+)$/.test(id));
  if (impossible === undefined) return ids;
  throw new BenchError('usage', `this machine has no GPU ${impossible}: it has no nvidia-smi that would list any`, {
    code: 'setting.invalid',
    remedy: 'Write none, or device numbers as 0,1 (BENCH_GPUS), or leave it out.',
    fields: { gpus: true },
  });
}

const unchecked = (ids: string[]): GpuInventory => ({
  ids,
  now: async () => ({ ids, busy: [], unknown: null }),
});

/** The driver may be mended, or still be starting: the GPUs are there from then on. */
function awaited(why: string, ask: NvidiaSmi): GpuInventory {
  let found: GpuInventory | null = null;
  let asked = false;
  return {
    ids: null,
    async now() {
      if (found !== null) return found.now();
      // At the start it has just been asked.
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
      remedy: 'Correct the list of GPUs (BENCH_GPUS), or leave it out to hand out all of them.',
      fields: { gpus: true },
    });
  const twice = ids.find((id, i) => ids.findIndex((other) => known.get(other) === known.get(id)) !== i);
  if (twice !== undefined)
    throw new BenchError('usage', `GPU ${twice} is named twice, by its number and its UUID`, {
      code: 'setting.invalid',
      remedy: 'Name each GPU once.',
    });
  return {
    ids,
    async now() {
      if (ids.length === 0) return { ids, busy: [], unknown: null };
      const answer = await ask('compute-apps', 'gpu_uuid,pid');
      // Not what it was a moment ago: who came since then is just what matters.
      if (answer.kind !== 'ok') return { ids, busy: ids, unknown: answer.kind === 'failed' ? answer.why : GONE };
      const computing = parseBusyGpus(answer.csv, gpus);
      return { ids, busy: ids.filter((id) => computing.includes(known.get(id)?.index ?? '')), unknown: null };
    },
  };
}

const GONE = 'there is no nvidia-smi any more';

const named = (gpus: readonly Gpu[]): string => gpus.map((gpu) => gpu.index).join(', ') || 'none';
