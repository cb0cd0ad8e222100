import type { Exports, RunRecord } from '../../../../domain/ports/exports.js';
import type { RunReads } from '../../../../domain/ports/reading/runs.js';
import type { RunDefinitions } from '../../../../domain/ports/record/run-definitions.js';
import { openingMessages, promptContext, toolDefinitions, withoutOrigin } from '../../../../domain/agent/messages.js';
import { NOT_RUN } from '../../../../domain/agent/reply-messages.js';
import { nextTurn } from '../../../../domain/agent/next-turn.js';
import { BenchError } from '../../../../domain/errors.js';
import {
  EXTRA_VERSION,
  type ExtraCall,
  type RunExtra,
  type StepExtra,
} from '../../../../domain/exchange/bench-extra.js';
import { answeringCall, type ExchangedStep, type RecordedCall } from '../../../../domain/exchange/recorded-run.js';
import { CONTAINER_WORKSPACE } from '../../../../domain/run/limits.js';
import type { ChatMessage, ToolDefinition } from '../../../../domain/model/model.js';
import type { RunDefinition } from '../../../../domain/run/run.js';
import type { EvaluationDetail, RunDetail } from '../../../../domain/views/runs.js';

export interface ExchangedRunPorts {
  queries: Pick<RunReads, 'showRun'>;
  store: Pick<RunDefinitions, 'definition'>;
  exports: Pick<Exports, 'record'>;
}

/** A run for other tools' formats, with its steps from one snapshot. */
export interface ExchangedRun {
  run: RunDetail;
  record: RunRecord;
  /** The messages before its first step. */
  prompt: ChatMessage[];
  tools: ToolDefinition[];
  extra: RunExtra;
  readonly requery: (refused: RecordedCall) => ChatMessage[];
  close(): Promise<void>;
}

/** The caller closes it. */
export async function openExchangedRun(
  { queries, store, exports }: ExchangedRunPorts,
  runId: string,
): Promise<ExchangedRun> {
  const run = await queries.showRun(runId);
  const definition = run.origin === 'bench' ? await definitionOf(store, runId) : null;
  const record = await exports.record(runId);
  try {
    const workspace = run.workspace ?? CONTAINER_WORKSPACE;
    const prompt =
      definition === null
        ? (record.prompt ?? []).map(({ role, content }): ChatMessage => ({ role: roleOf(role), content }))
        : withoutOrigin(openingMessages(promptContext(definition, workspace)));
    return {
      ...{ run, record, prompt },
      tools: (definition === null ? undefined : toolDefinitions(definition, workspace)) ?? [],
      extra: await runExtra(run, record),
      requery: (refused) => requery(definition, refused),
      close: () => record.close(),
    };
  } catch (error) {
    await record.close();
    throw error;
  }
}

/** The messages that followed a refused reply. */
function requery(definition: RunDefinition | null, refused: RecordedCall): ChatMessage[] {
  const { answer, toolCalls } = refused;
  if (answer !== undefined)
    return toolCalls === null || toolCalls.length === 0
      ? [{ role: 'user', content: answer }]
      : toolCalls.map((_, index) => ({ role: 'tool', content: index === 0 ? answer : NOT_RUN }));
  if (definition === null) return [];
  const turn = nextTurn(definition, [
    {
      text: refused.response ?? '',
      ...(refused.toolCalls !== null && { toolCalls: refused.toolCalls }),
      ...(refused.finishReason !== null && { finishReason: refused.finishReason }),
    },
  ]);
  return turn.kind === 'ask' ? turn.messages.filter(({ role }) => role !== 'assistant') : [];
}

/** Null: an older version stored it in another form, so its prompt is unknown. */
async function definitionOf(store: ExchangedRunPorts['store'], runId: string): Promise<RunDefinition | null> {
  try {
    return await store.definition(runId);
  } catch (error) {
    if (error instanceof BenchError && error.type === 'services') throw error;
    return null;
  }
}

const roleOf = (role: string): ChatMessage['role'] =>
  role === 'system' || role === 'assistant' || role === 'tool' ? role : 'user';

async function runExtra(run: RunDetail, record: RunRecord): Promise<RunExtra> {
  const loose = await record.looseCalls();
  return {
    version: EXTRA_VERSION,
    run_id: run.runId,
    batch_id: run.batchId,
    batch: record.batch,
    origin: run.origin,
    task: {
      ...{ id: run.task, name: record.task.name, hash: run.taskHash, contract: run.contract },
      ...{ primary: run.primary, direction: run.direction, min: record.task.min, max: record.task.max },
    },
    model: { name: run.model, kind: run.modelKind, provider: run.provider, provider_model: run.providerModel },
    agent: { name: run.agent, hash: run.agentHash },
    sampling: run.sampling,
    ...{ attempt: run.attempt, seed: run.seed, max_steps: run.maxSteps, backend: run.backend },
    ...{ isolation: run.isolation, gpus: run.gpus, harness_version: run.harnessVersion },
    ...{ replaces: run.replaces, forked_from: run.forkedFrom, forked_at_step: run.forkedAtStep },
    ...{ status: run.status, end_reason: run.endReason, final_evaluation: run.finalEvaluation },
    ...{ exit_status: run.exitStatus, detail: run.detail },
    ...{ best_score: run.bestScore, final_score: run.finalScore, baseline: run.baseline },
    evaluations: run.evaluationList,
    integrity: run.flags,
    usage: {
      input_tokens: run.usage.inputTokens,
      output_tokens: run.usage.outputTokens,
      cached_tokens: run.usage.cachedTokens,
      reasoning_tokens: run.usage.reasoningTokens,
      cache_write_tokens: run.usage.cacheWriteTokens ?? 0,
      cost_usd: run.recordedCostUsd ?? run.costUsd,
      model_calls: run.modelCalls,
    },
    ...{ workspace: run.workspace, created_at: run.createdAt, started_at: run.startedAt, ended_at: run.endedAt },
    ...(loose.length > 0 && { calls: loose.map((call) => ({ step: call.step, ...extraCall(call) })) }),
    ...(record.episode !== null && { episode: record.episode }),
  };
}

/** A call without its unknown fields. */
function extraCall(call: RecordedCall, { text = true } = {}): ExtraCall {
  const known = {
    response: text ? call.response : null,
    tool_calls: text ? call.toolCalls : null,
    finish_reason: call.finishReason,
    input_tokens: call.inputTokens,
    output_tokens: call.outputTokens,
    cached_tokens: call.cachedTokens,
    reasoning_tokens: call.reasoningTokens,
    cache_write_tokens: call.cacheWriteTokens,
    cost_usd: call.costUsd,
    ms: call.ms,
    error: call.error,
    answer: call.answer ?? null,
  };
  return {
    ...{ try: call.try, attempt: call.attempt, status: call.status },
    ...(Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)) as Partial<ExtraCall>),
  };
}

/** Fields of a step that ATIF and Inspect lack. `said`: the text and command that they have. */
export function stepExtra(
  step: ExchangedStep,
  said: { text: string; command: string | null; synthetic: boolean },
  evaluations: readonly EvaluationDetail[],
  answerTo: ExchangedRun['requery'],
): StepExtra {
  const own = answeringCall(step.calls);
  const others = step.calls.filter((call) => call !== own);
  return {
    step: step.step,
    ...(step.thought !== said.text && { thought: step.thought }),
    ...(step.action !== said.command && { action: step.action }),
    ...(said.synthetic && { synthetic: true }),
    ...(step.exitCode !== null && { exit_code: step.exitCode }),
    ...(step.timedOut && { timed_out: true }),
    ...(step.lost && { lost: true }),
    ...(step.outputBytes !== null && { output_bytes: step.outputBytes }),
    ...(step.requested !== null && { requested: step.requested }),
    ...(step.workingDir !== null && { working_dir: step.workingDir }),
    ...(step.toolState != null && { tool_state: step.toolState }),
    ...(step.commandMs !== null && { command_ms: step.commandMs }),
    ...(step.modelMs !== null && { model_ms: step.modelMs }),
    ...(step.executedAt !== null && { executed_at: step.executedAt }),
    ...(step.copied && { copied: true }),
    ...(step.reward !== null && { reward: step.reward }),
    // Its reply is the message.
    ...(own !== undefined && { call: extraCall(own, { text: false }) }),
    ...(others.length > 0 && {
      calls: others.map((call) => {
        const [confirmed] = call.status === 'confirmed' ? answerTo(call) : [];
        return { ...extraCall(call), ...(confirmed !== undefined && { answer: confirmed.content }) };
      }),
    }),
    ...(evaluations.length > 0 && {
      evaluations: evaluations.map(({ number, kind, split, status, metrics }) => ({
        ...{ number, kind, split, status, metrics },
      })),
    }),
  };
}
