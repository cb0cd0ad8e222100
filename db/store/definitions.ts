import { type AgentConfig, agentConfigSchema } from '../../domain/agent/config.js';
import { BenchError } from '../../domain/errors.js';
import type { ModelKind, SamplingParameters } from '../../domain/model/model.js';
import { type ModelConfig, modelConfigSchema } from '../../domain/model/config.js';
import { type Recording, recordingSchema } from '../../domain/recording/recording.js';
import type { CaptureLevel } from '../../domain/rollouts/captured-tokens.js';
import type { KeptOptions } from '../../domain/requests/run-options.js';
import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import type { BatchLifecycle } from '../../domain/ports/record/batch-lifecycle.js';
import type { Backend, Origin, RunDefinition, RunTicket } from '../../domain/run/run.js';
import { type TaskSpec, storedTaskSchema } from '../../domain/task/task.js';
import { searchSchema } from '../../domain/tree/spec.js';
import { keptValues, selectKept } from '../kept-options.js';
import type { Statements } from '../statements.js';
import { missingRun } from './missing.js';

interface DefinitionRow extends KeptOptions {
  batch_id: string;
  origin: Origin;
  model_name: string;
  model_kind: ModelKind;
  provider: string;
  provider_model: string;
  model_config: unknown;
  model_config_hash: string | null;
  recording: unknown;
  recording_hash: string | null;
  sampling: SamplingParameters;
  task_hash: string;
  spec: unknown;
  agent_name: string;
  agent_hash: string;
  content: unknown;
  attempt: number;
  seed: number;
  wall_seconds: number;
  backend: Backend;
  gpus: number;
  sample: boolean;
  verification: boolean;
  cost_limit_usd: string | null;
  forked_from: string | null;
  forked_at_step: number | null;
  max_validations: number | null;
  draft_note: string | null;
  draw_group: string | null;
  capture: CaptureLevel | null;
  sealed: string | null;
  node: boolean;
}

/** Content under a hash never changes, so it is checked once per process. */
function byHash<Value>(parse: (content: unknown) => Value) {
  const parsed = new Map<string, Value>();
  return (hash: string, content: unknown): Value => {
    const known = parsed.get(hash);
    if (known !== undefined) return known;
    const value = parse(content);
    parsed.set(hash, value);
    return value;
  };
}

/** Drops a search block of an earlier version: its tree is still shown, but not played. */
function storedAgent(content: unknown): AgentConfig {
  const { search, ...rest } = (content ?? {}) as { search?: unknown };
  return agentConfigSchema.parse(searchSchema.safeParse(search).success ? content : rest);
}

/** Of a task version `v`, with its `splits.amount`. */
const EVALUATION_SECONDS = `((
  (v.spec #>> '{evaluator,timeoutSeconds}')::float8 + coalesce((v.spec #>> '{evaluator,refereeSeconds}')::float8, 0)
  ) * splits.amount + 60 * (splits.amount - 1))`;

/** A `where` follows. */
export const TICKETS = `select r.run_id as "runId", r.batch_id as "batchId", r.provider, r.gpus, ${selectKept('r')},
  (v.spec #>> '{limits,commandSeconds}')::float8 as "commandSeconds",
  ${EVALUATION_SECONDS} as "evaluationSeconds",
  r.wall_seconds as "wallSeconds", r.backend,
  coalesce(r.forked_at_step, 0) as "copiedSteps", b.priority,
  (extract(epoch from ep.deadline_at) * 1000)::float8 as "endsBy",
  b.parent_batch is null and v.spec -> 'splits' ? 'validation' as "hiddenSplit", a.content ? 'program' as "program",
  coalesce((v.spec #>> '{evaluator,gpu}')::boolean, false) as "evaluatorGpu",
  b.parent_batch is null and r.forked_from is null and a.content ? 'search' as "search",
  coalesce((a.content #>> '{search,asynchronous}')::boolean, false) as "asynchronous", b.parent_batch is not null as "node"
  from runs r join batches b on b.batch_id = r.batch_id join task_versions v on v.content_hash = r.task_hash
  join agent_configs a on a.hash = r.agent_hash
  left join episodes ep on ep.run_id = r.run_id
  cross join lateral (select jsonb_array_length(v.spec -> 'splits') as amount) splits`;

/** As stored, whatever its origin; `read` checks it. */
export interface StoredDefinition {
  origin: Origin;
  read: () => RunDefinition;
}

export function definitionReader(run: Statements): (runId: string) => Promise<StoredDefinition> {
  const taskOf = byHash<TaskSpec>((content) => storedTaskSchema.parse(content) as TaskSpec);
  const modelOf = byHash<ModelConfig>((content) => modelConfigSchema.parse(content));
  const recordingOf = byHash<Recording>((content) => recordingSchema.parse(content));
  const agentOf = byHash<AgentConfig>(storedAgent);
  return async (runId) => {
    const [row] = await run<DefinitionRow>(
      'definition',
      `select r.batch_id, r.origin, r.model_name, r.model_kind, r.provider, r.provider_model, r.sampling, r.task_hash, v.spec,
         r.agent_name, r.agent_hash, a.content, r.attempt, r.seed::float8 as seed, ${selectKept('r')}, r.wall_seconds,
         r.backend, r.gpus, r.sample, b.verification, b.parent_batch is not null as node, r.forked_from, r.forked_at_step,
         trim_scale(r.cost_limit_usd)::text as cost_limit_usd,
         r.model_config_hash, m.content as model_config, r.recording_hash, p.content as recording,
         o.capture, o.sealed, e.max_validations, n.note as draft_note,
         case when e.run_id is not null then concat_ws(' ', e.policy_version, coalesce('group ' || e.group_key, 'seed ' || r.seed)) end
           as draw_group
       from runs r
       join batches b on b.batch_id = r.batch_id
       join task_versions v on v.content_hash = r.task_hash
       join agent_configs a on a.hash = r.agent_hash
       left join model_configs m on m.hash = r.model_config_hash
       left join recordings p on p.hash = r.recording_hash
       left join rollouts o on o.run_id = r.run_id
       left join episodes e on e.run_id = r.run_id
       left join tree_nodes n on n.run_id = r.run_id
       where r.run_id = $1`,
      [runId],
    );
    if (row === undefined) throw missingRun(runId);
    const read = (): RunDefinition => ({
      runId,
      batchId: row.batch_id,
      model: {
        name: row.model_name,
        kind: row.model_kind,
        provider: row.provider,
        model: row.provider_model,
        ...(row.model_config_hash === null ? {} : { config: modelOf(row.model_config_hash, row.model_config) }),
        ...(row.recording_hash === null ? {} : { recording: recordingOf(row.recording_hash, row.recording) }),
        ...(row.capture !== null && { rollout: { capture: row.capture, sealed: row.sealed } }),
      },
      sampling: row.sampling,
      task: taskOf(row.task_hash, row.spec),
      taskHash: row.task_hash,
      agentName: row.agent_name,
      agentHash: row.agent_hash,
      agent: agentOf(row.agent_hash, row.content),
      attempt: row.attempt,
      seed: row.seed,
      wallSeconds: row.wall_seconds,
      backend: row.backend,
      gpus: row.gpus,
      costLimitUsd: row.cost_limit_usd,
      ...keptValues(row),
      ...(row.max_validations !== null && { maxValidations: row.max_validations }),
      ...(row.draw_group !== null && { drawGroup: row.draw_group }),
      ...(row.sample && { sample: true }),
      ...(row.verification && { verification: true }),
      ...(row.node && { node: true }),
      ...(row.draft_note !== null && { draftNote: row.draft_note }),
      ...(row.forked_from === null || row.forked_at_step === null
        ? {}
        : { forkedFrom: { runId: row.forked_from, step: row.forked_at_step } }),
    });
    return { origin: row.origin, read };
  };
}

export function definitionStore(run: Statements): RunDefinitions & Pick<BatchLifecycle, 'loadShard'> {
  const definitionOf = definitionReader(run);
  return {
    async loadShard(batchId, shard) {
      return run<RunTicket>(
        'loadShard',
        `${TICKETS}
         where r.batch_id = $1 and r.shard = $2 and r.status <> 'ended'
         order by r.ordinal`,
        [batchId, shard],
      );
    },

    async ticket(runId) {
      const [row] = await run<RunTicket>('ticket', `${TICKETS} where r.run_id = $1 and r.status <> 'ended'`, [runId]);
      return row ?? null;
    },

    async definition(runId) {
      const { origin, read } = await definitionOf(runId);
      if (origin !== 'bench')
        throw new BenchError('usage', `run ${runId} was imported, without its task and agent`, {
          code: 'run.imported',
          remedy: `Write \`bench trajectory ${runId}\` to a file as JSON; the model \`replay:<file>\` plays its steps on one of bench's tasks.`,
          fields: { json: true, task: '<id>' },
        });
      return read();
    },
  };
}
