import { BenchError } from '../../domain/errors.js';
import { forkOf } from '../../domain/run/fork.js';
import type { Episodes } from '../../domain/ports/episodes.js';
import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import type { ResetRequest } from '../../domain/requests/episode.js';
import type { RunDefinition } from '../../domain/run/run.js';
import type { Environment } from './environment.js';

export interface ForkPorts {
  episodes: Pick<Episodes, 'find'>;
  store: Pick<RunDefinitions, 'definition'>;
}

export async function freshRun(
  env: Environment,
  request: Pick<ResetRequest, 'task' | 'split' | 'index' | 'agent' | 'max_steps' | 'max_validations' | 'seed'>,
): Promise<RunDefinition> {
  const template = await env.template(taskOf(env, request), { agent: request.agent, maxSteps: request.max_steps });
  const ofServer = template.task.splits.length === 1 ? env.options.maxValidations : null;
  const maxValidations = request.max_validations ?? ofServer;
  return { ...template, maxValidations, batchId: env.batchId, seed: request.seed ?? randomSeed() };
}

export async function forkedRun(
  { episodes, store }: ForkPorts,
  env: Environment,
  request: ResetRequest,
  origin: string,
): Promise<RunDefinition> {
  const from = await episodes.find(origin);
  if (from === null) throw new BenchError('not_found', `no episode ${origin} to fork`);
  const run = await store.definition(from.runId);
  const template = await env.template(run.task.id);
  return {
    ...forkOf(run, {
      // The client plays the branches of a rollout, not the rollout's own model.
      model: { ref: template.model, sampling: template.sampling },
      batchId: env.batchId,
      atStep: request.at_step ?? 1,
      maxSteps: request.max_steps ?? run.maxSteps,
    }),
    ...(request.seed !== undefined && { seed: request.seed }),
    ...(request.max_validations !== undefined && { maxValidations: request.max_validations }),
  };
}

function taskOf(env: Environment, { task, split, index }: Pick<ResetRequest, 'task' | 'split' | 'index'>): string {
  if (task !== undefined) return task;
  const [only] = env.tasks;
  if (split === undefined && env.tasks.length === 1 && only !== undefined) return only;
  if (split === undefined || index === undefined)
    throw new BenchError('usage', 'no task is named', { remedy: `Set task to one of ${env.tasks.join(', ')}.` });
  return taskAt(env, split, index);
}

/** Throws BenchError (not_found, `split.not_found`), or (usage) for a position beyond the split. */
export function taskAt(env: Environment, split: string, index: number): string {
  const listed = env.split(split);
  const found = listed[index];
  if (found === undefined)
    throw new BenchError('usage', `index ${index}: split ${split} has ${listed.length} tasks, from 0`, {
      remedy: `Set it to at most ${listed.length - 1}.`,
    });
  return found;
}

const randomSeed = (): number => Math.floor(Math.random() * 2 ** 31);
