import { BenchError } from '../../domain/errors.js';
import { parseBusyGpus, parseGpus, type Gpu, type GpuSetting } from '../../domain/run/gpus.js';
import { parseBusyInstances, parseMigInstances, type MigInstance } from '../../domain/run/mig.js';
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
  const first = await listed(ask);
  if (first.kind === 'absent') return unchecked(setting.kind === 'auto' ? [] : possible(setting.ids));
  if (first.kind === 'ok') return watched(setting.kind === 'auto' ? null : setting.ids, first.found, ask);
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
      const answer = asked ? await listed(ask) : { kind: 'failed' as const, why };
      asked = true;
      if (answer.kind === 'ok') return (found = watched(null, answer.found, ask)).now();
      return { ids: [], busy: [], unknown: answer.kind === 'failed' ? answer.why : GONE };
    },
  };
}

interface Found {
  gpus: Gpu[];
  instances: MigInstance[];
}

/** The instances are listed only where a GPU is in MIG mode. */
async function listed(
  ask: NvidiaSmi,
): Promise<{ kind: 'ok'; found: Found } | { kind: 'absent' } | { kind: 'failed'; why: string }> {
  const answer = await ask('gpu', 'index,uuid,mig.mode.current');
  if (answer.kind !== 'ok') return answer;
  const gpus = parseGpus(answer.text);
  if (!gpus.some(({ partitioned }) => partitioned)) return { kind: 'ok', found: { gpus, instances: [] } };
  const list = await ask('-L');
  return list.kind === 'ok' ? { kind: 'ok', found: { gpus, instances: parseMigInstances(list.text) } } : list;
}

/** `wanted` null: all of them. */
function watched(wanted: string[] | null, { gpus, instances }: Found, ask: NvidiaSmi): GpuInventory {
  const whole = gpus.filter(({ partitioned }) => !partitioned);
  const ids = wanted ?? [...whole.map(({ index }) => index), ...instances.map(({ uuid }) => uuid)];
  const known = new Map<string, Gpu | MigInstance>([
    ...whole.flatMap((gpu) => [[gpu.index, gpu] as const, [gpu.uuid, gpu] as const]),
    ...instances.map((instance) => [instance.uuid, instance] as const),
  ]);
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw noSuchGpu(missing, { gpus, instances });
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
      const computing = await inUse(ask, whole, instances);
      // Do not reuse the last answer: a new user of the GPU is what matters.
      if (computing.kind !== 'ok')
        return { ids, busy: ids, unknown: computing.kind === 'failed' ? computing.why : GONE };
      return { ids, busy: ids.filter((id) => computing.uuids.has(known.get(id)?.uuid ?? '')), unknown: null };
    },
  };
}

/** UUIDs of the GPUs and instances on which something computes. */
async function inUse(
  ask: NvidiaSmi,
  gpus: readonly Gpu[],
  instances: readonly MigInstance[],
): Promise<{ kind: 'ok'; uuids: Set<string> } | { kind: 'absent' } | { kind: 'failed'; why: string }> {
  const apps = await ask('compute-apps', 'gpu_uuid,pid');
  if (apps.kind !== 'ok') return apps;
  const uuids = new Set(parseBusyGpus(apps.text, gpus));
  if (instances.length === 0) return { kind: 'ok', uuids };
  const all = await ask('-q', '-x');
  if (all.kind !== 'ok') return all;
  for (const uuid of parseBusyInstances(all.text, instances)) uuids.add(uuid);
  return { kind: 'ok', uuids };
}

const GONE = 'nvidia-smi has disappeared';

function noSuchGpu(missing: string, found: Found): BenchError {
  const partitioned = found.gpus.find((gpu) => gpu.partitioned && [gpu.index, gpu.uuid].includes(missing));
  const own = found.instances.filter(({ gpu }) => gpu === partitioned?.index);
  const what =
    partitioned === undefined
      ? `this machine has no GPU ${missing}: nvidia-smi lists ${named(found)}`
      : `GPU ${missing} is in MIG mode, so only its instances can be leased: ${own.map(titleOf).join(', ') || 'it has none'}`;
  return new BenchError('usage', what, {
    code: 'setting.invalid',
    remedy:
      partitioned !== undefined && own.length === 0
        ? 'Create instances (nvidia-smi mig -cgi <profile> -C), or turn MIG mode off.'
        : 'Correct the list of GPUs (BENCH_GPUS), or unset it to lease all of them.',
    fields: { gpus: true },
  });
}

const titleOf = ({ uuid, profile }: MigInstance): string => `${uuid} (${profile})`;

const named = ({ gpus, instances }: Found): string =>
  [...gpus.filter(({ partitioned }) => !partitioned).map(({ index }) => index), ...instances.map(titleOf)].join(', ') ||
  'none';
