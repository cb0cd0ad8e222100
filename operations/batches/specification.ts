import { DEFAULT_BREAKER } from '../../domain/run/end-cause.js';
import type { BatchPlan } from './batch-plan.js';

/** Names resolved and contents by hash: equal specifications make the same runs. */
export type Specification = Record<string, unknown>;

export function specificationOf({ request, groups, backend, allocation }: BatchPlan): Specification {
  const { seed, concurrency, priority, budget, breaker } = request;
  return {
    seed,
    concurrency,
    priority,
    budget,
    // Earlier batches had no breaker.
    ...(breaker !== DEFAULT_BREAKER && { breaker }),
    ...(allocation !== null && { confidence: allocation.confidence, maxAttempts: allocation.maxAttempts }),
    backend,
    // Task hashes cover sample data and profiles.
    groups: groups.map(({ modelRefs, taskFolders, loadedAgent, skipped: _left, ...group }) => {
      const { allowUnpriced: _a, skipUnavailable: _s, sample: _d, profile: _p, ...options } = group;
      return {
        ...options,
        models: Object.fromEntries(modelRefs.map(({ name, config, model }) => [name, config ?? model])),
        tasks: Object.fromEntries(taskFolders.map(({ spec, contentHash }) => [spec.id, contentHash])),
        agent: { [loadedAgent.name]: loadedAgent.hash },
      };
    }),
  };
}

/** `groups.0.attempts (4, now 8)` for each difference; key order and absent values do not count. */
export function specificationDifferences(before: Specification, now: Specification): string[] {
  const [old, fresh] = [leaves(before), leaves(now)];
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((path) => {
    const [was, is] = [old.get(path) ?? 'nothing', fresh.get(path) ?? 'nothing'];
    return was === is ? [] : [`${path} (${was.slice(0, 40)}, now ${is.slice(0, 40)})`];
  });
}

function leaves(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) leaves(inner, path === '' ? key : `${path}.${key}`, into);
  else if (value !== undefined && value !== null) into.set(path, JSON.stringify(value));
  return into;
}
