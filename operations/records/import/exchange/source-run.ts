import type { ExchangedEnd, ExchangedRecord } from '../../../../domain/ports/imports.js';
import { type RunExtra, runExtraSchema } from '../../../../domain/exchange/bench-extra.js';
import { MODEL_KINDS, type ModelKind } from '../../../../domain/model/model.js';
import { type Backend, BACKENDS } from '../../../../domain/run/run.js';
import { better } from '../../../../domain/run/score.js';
import type { Json } from '../read-json.js';
import type { Remarks } from '../remarks.js';

/** bench's own fields of a run; null: another tool's file. */
export function runExtraOf(value: Json | undefined, file: string, key: string, remarks: Remarks): RunExtra | null {
  if (value === undefined) return null;
  const read = runExtraSchema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  remarks.odd(
    file,
    `${key}.${issue?.path.join('.') ?? ''}`,
    'wrong_type',
    `not as bench writes it: ${issue?.message ?? ''}; taken as another tool's`,
  );
  return null;
}

/** A run that bench exported, with new ids. */
export const recordOf = (extra: RunExtra): Omit<ExchangedRecord, 'format' | 'source' | 'contentHash'> => ({
  task: {
    ...{
      id: extra.task.id,
      name: extra.task.name,
      metric: extra.task.primary,
      assumed: false,
      direction: extra.task.direction,
    },
    ...{ min: extra.task.min, max: extra.task.max },
  },
  taskHash: extra.task.hash,
  model: {
    ...{ name: extra.model.name, provider: extra.model.provider, providerModel: extra.model.provider_model },
    kind: oneOf<ModelKind>(MODEL_KINDS, extra.model.kind, 'real'),
  },
  agent: extra.agent.name,
  ...{ attempt: extra.attempt, sampling: extra.sampling, seed: extra.seed, maxSteps: extra.max_steps },
  backend: oneOf<Backend>(BACKENDS, extra.backend, 'docker'),
  ...{ gpus: extra.gpus, harnessVersion: extra.harness_version },
});

const oneOf = <T extends string>(values: readonly T[], value: string, otherwise: T): T =>
  values.find((one) => one === value) ?? otherwise;

/** Its end, with evaluations and totals. */
export const endOf = (extra: RunExtra, steps: number): Omit<ExchangedEnd, 'prompt' | 'kept'> => ({
  steps,
  endReason: extra.end_reason ?? 'unknown',
  finalEvaluation: extra.final_evaluation ?? 'not_run',
  exitStatus: extra.exit_status,
  detail: extra.detail,
  usage: {
    ...{ input: extra.usage.input_tokens, output: extra.usage.output_tokens, cached: extra.usage.cached_tokens },
    ...{ reasoning: extra.usage.reasoning_tokens, cacheWrite: extra.usage.cache_write_tokens },
  },
  costUsd: extra.usage.cost_usd,
  ...{ bestScore: extra.best_score, finalScore: extra.final_score },
  evaluations: extra.evaluations,
  calls: extra.calls ?? [],
  workspace: extra.workspace,
  isolation: extra.isolation === 'container' ? 'container' : 'none',
  ...{ createdAt: extra.created_at, startedAt: extra.started_at, endedAt: extra.ended_at },
});

/** Scores of another tool: the highest is best, the last is final. */
export function scoresOf(values: readonly number[]): { best: number | null; final: number | null } {
  const best = values.reduce<number | null>((a, b) => (a === null || better('maximize', b, a) ? b : a), null);
  return { best, final: values.at(-1) ?? null };
}
