import { isObject } from '../tools.js';

const TASK = '_ng_task_index';

/** What NeMo Gym logs of rollouts, with its keys: `mean/reward`, `std/reward` … */
export interface AggregateMetrics {
  group_level_metrics: Record<string, unknown>[];
  agent_metrics: Record<string, number>;
  key_metrics: Record<string, number>;
}

/** Masked rollouts, which failed by our fault, only count in their number. */
export function aggregateMetrics(rollouts: readonly Record<string, unknown>[]): AggregateMetrics {
  const counted = rollouts.filter((rollout) => !isMasked(rollout));
  const groups = new Map<number, Record<string, unknown>[]>();
  for (const rollout of counted) {
    const task = Number(rollout[TASK] ?? 0);
    groups.set(task, [...(groups.get(task) ?? []), rollout]);
  }
  const agent = { ...described(counted), masked: rollouts.length - counted.length };
  return {
    group_level_metrics: [...groups]
      .toSorted(([a], [b]) => a - b)
      .map(([task, of]) => ({ ...described(of), [TASK]: task })),
    agent_metrics: agent,
    key_metrics: Object.fromEntries(Object.entries(agent).filter(([key]) => key.startsWith('mean/'))),
  };
}

const isMasked = ({ mask_sample: masked, info }: Record<string, unknown>): boolean =>
  masked === true || (isObject(info) && info['mask_sample'] === true);

function described(rollouts: readonly Record<string, unknown>[]): Record<string, number> {
  const columns = new Map<string, number[]>();
  for (const rollout of rollouts)
    for (const [key, value] of Object.entries(rollout)) {
      if (key.startsWith('_ng_') || (typeof value !== 'number' && typeof value !== 'boolean')) continue;
      columns.set(key, [...(columns.get(key) ?? []), Number(value)]);
    }
  return Object.fromEntries([...columns].flatMap(([key, values]) => statistics(key, values)));
}

function statistics(key: string, values: readonly number[]): [string, number][] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? NaN;
  const half = sorted.length / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return [
    [`mean/${key}`, mean],
    [`max/${key}`, at(sorted.length - 1)],
    [`min/${key}`, at(0)],
    [`median/${key}`, Number.isInteger(half) ? (at(half - 1) + at(half)) / 2 : at(Math.floor(half))],
    // Of a sample, as NeMo's own server computes it; undefined for one value.
    ...(values.length > 1 ? ([[`std/${key}`, Math.sqrt(squares / (values.length - 1))]] as [string, number][]) : []),
  ];
}
