import { BenchError } from '../errors.js';

/** A worker's GPUs: detected, listed (and checked by nvidia-smi, if present), or unchecked. */
export type GpuSetting = { kind: 'auto' } | { kind: 'listed' | 'declared'; ids: string[] };

/** `auto`, `none`, `0,1`, or `declared:0,1`. Throws BenchError (usage). */
export function gpuSetting(text: string | undefined): GpuSetting {
  const said = (text ?? '').trim();
  if (said === '' || said === 'auto') return { kind: 'auto' };
  if (said === 'none') return { kind: 'declared', ids: [] };
  const [, declared, list = ''] = /^(declared:)?(.*)$/.exec(said) ?? [];
  const ids = list.split(',').map((id) => id.trim());
  const bad = ids.find((id) => !/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(id));
  if (bad !== undefined)
    throw new BenchError('usage', `"${bad}" is not a GPU in "${said}"`, {
      code: 'setting.invalid',
      remedy: 'Write auto, none, or device numbers such as 0,1.',
    });
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined)
    throw new BenchError('usage', `GPU ${twice} is named twice in "${said}"`, {
      code: 'setting.invalid',
      remedy: 'Name each GPU once.',
    });
  return { kind: declared === undefined ? 'listed' : 'declared', ids };
}

export interface Gpu {
  index: string;
  uuid: string;
  /** In MIG mode, in which only its instances compute. */
  partitioned: boolean;
}

/** The lines of `nvidia-smi --query-gpu=index,uuid,mig.mode.current --format=csv,noheader`. */
export const parseGpus = (csv: string): Gpu[] =>
  rows(csv).flatMap(([index, uuid, mode]) =>
    index && uuid && /^\d+$/.test(index) ? [{ index, uuid, partitioned: mode === 'Enabled' }] : [],
  );

/** From `nvidia-smi --query-compute-apps=gpu_uuid,pid --format=csv,noheader`; each UUID once. */
export function parseBusyGpus(csv: string, gpus: readonly Gpu[]): string[] {
  const busy = new Set(rows(csv).map(([uuid]) => uuid));
  return gpus.filter(({ uuid }) => busy.has(uuid)).map(({ uuid }) => uuid);
}

const rows = (csv: string): string[][] =>
  csv
    .split('\n')
    .filter((line) => line.includes(','))
    .map((line) => line.split(',').map((cell) => cell.trim()));
