import type { Backend } from '../../domain/run.js';
import type { LoadedGroup, SubmitRequest } from './request.js';

/** What a batch was submitted with, names resolved and contents by hash: equal ones make the same runs. */
export type Specification = Record<string, unknown>;

export function specificationOf(
  request: SubmitRequest,
  groups: readonly LoadedGroup[],
  backend: Backend,
): Specification {
  return {
    seed: request.seed,
    concurrency: request.concurrency,
    priority: request.priority ?? 3,
    budgetUsd: request.budgetUsd ?? null,
    backend,
    groups: groups.map((group) => ({
      models: Object.fromEntries(group.modelRefs.map(({ name, config, model }) => [name, config ?? model])),
      tasks: Object.fromEntries(group.taskFolders.map(({ spec, contentHash }) => [spec.id, contentHash])),
      agent: { [group.loadedAgent.name]: group.loadedAgent.hash },
      attempts: group.attempts,
      maxSteps: group.maxSteps,
      wallSeconds: group.wallSeconds,
      gpusPerRun: group.gpusPerRun,
      sampling: group.sampling ?? {},
      costLimitUsd: group.costLimitUsd ?? null,
      tokenLimit: group.tokenLimit ?? 0,
      memory: group.memory === true,
      snapshotEvery: group.snapshotEvery ?? null,
    })),
  };
}

/** `groups.0.attempts (4, now 8)` for each value that is not the same; order of keys and absent values are nothing. */
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
