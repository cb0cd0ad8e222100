import { toolDefinitions } from '../../domain/agent/messages.js';
import { PromptHistory } from '../../domain/agent/prompt-history.js';
import { encodeReply } from '../../domain/agent/reply-encoding.js';
import { stepTurns } from '../../domain/agent/step-turns.js';
import { BenchError } from '../../domain/errors.js';
import { CONTAINER_WORKSPACE } from '../../domain/run/limits.js';
import type { Program } from '../../domain/agent/program.js';
import { offeredTools } from '../../domain/gateway/offered-tools.js';
import { wireOf } from '../../domain/gateway/wires.js';
import type { ChatMessage, ModelRef } from '../../domain/model/model.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { TrajectoryReads } from '../../domain/ports/reading/trajectories.js';
import type { ToolLog } from '../../domain/ports/record/tool-log.js';
import type { StepLog } from '../../domain/ports/record/steps.js';
import { requestHash } from '../../domain/model/request-hash.js';
import type { ShownStep } from '../../domain/run/run.js';
import type { PromptDocument, PromptTurn } from '../../domain/views/prompt.js';
import type { RunDetail } from '../../domain/views/runs.js';

export interface PromptPorts {
  store: Pick<StepLog, 'shownSteps'> & Pick<ToolLog, 'listedTools'>;
  queries: Pick<RunReads, 'findRun' | 'showRun'> & Omit<TrajectoryReads, 'trajectory'>;
}

/**
 * The model's prompt in a step, requeries included: rendered from the record and compared with the
 * hash of the sent one. The step after the last one is the next.
 * @throws BenchError (usage) for a step that the run has not reached.
 */
export async function prompt(ports: PromptPorts, ref: string, step: number): Promise<PromptDocument> {
  const { runId } = await ports.queries.findRun(ref);
  return promptOf(ports, runId, step);
}

/** By the run's whole id. */
export async function promptOf(ports: PromptPorts, runId: string, step: number): Promise<PromptDocument> {
  const run = await ports.queries.showRun(runId);
  if (!Number.isSafeInteger(step) || step < 1 || step > run.steps + 1)
    throw new BenchError('usage', `run ${runId} has no step ${step}: it has taken ${run.steps}`, {
      code: 'step.not_found',
      remedy: `Choose one from 1 to ${run.steps + 1}: \`bench trajectory ${runId}\` shows them.`,
    });
  const asked = await whoAsked(ports, run, step);
  const definition = await ports.queries.playedAs(asked.runId);
  if (definition === null) return recorded(ports, run, step);
  const input = { ...definition, memoryRecords: asked.memory ? asked.memoryRecords : null };
  const workspace = asked.workspace ?? CONTAINER_WORKSPACE;
  if (definition.agent.program !== undefined)
    return ofProgram(ports, { runId, step, program: definition.agent.program, model: definition.model });
  const history = new PromptHistory(input, workspace);
  for await (const steps of ports.store.shownSteps(asked.runId, { after: 0, through: step - 1 })) history.add(steps);
  const messages = history.prompt();
  const known = await ports.queries.askedTurns(asked.runId, step);
  const replies = known.flatMap(({ reply }) => reply ?? []);
  const { provider, model } = definition.model;
  const turns = stepTurns(input, replies).map((added, at): PromptTurn => {
    const hash = requestHash({ provider, model, messages: [...messages, ...added] });
    const { sent = [], reply = null } = known.find((one) => one.try === at) ?? {};
    return {
      ...{ try: at, added: added.map(readable), hash, sent },
      reply: reply === null ? null : encodeReply(reply),
      proof: sent.length === 0 ? 'none' : sent.every((one) => one === hash) ? 'equal' : 'different',
    };
  });
  const listed = input.agent.tools.mcp === undefined ? null : await ports.store.listedTools(asked.runId);
  const tools = toolDefinitions(input, workspace, listed) ?? null;
  return { runId, requestedIn: asked.runId, step, source: 'rendered', messages: messages.map(readable), tools, turns };
}

/** Without the reasoning that goes back to the model: it is opaque, and may be long. */
const readable = ({ reasoning: _reasoning, ...message }: ChatMessage): ChatMessage => message;

/** A program writes its own prompts: they are stored as sent. */
async function ofProgram(
  { queries }: PromptPorts,
  { runId, step, program, model }: { runId: string; step: number; program: Program; model: ModelRef },
): Promise<PromptDocument> {
  const request = await queries.programRequest(runId, step);
  if (request === null)
    throw new BenchError('usage', `step ${step} of run ${runId} called no model: it is a validation or the end`, {
      code: 'step.not_found',
      remedy: `Choose a call: \`bench trajectory ${runId}\` shows them.`,
    });
  const wire = wireOf(program.client);
  const messages = wire.messages(request);
  const hash = requestHash({ provider: model.provider, model: model.model, messages });
  const turns = (await queries.askedTurns(runId, step)).map(({ try: at, sent, reply }): PromptTurn => ({
    ...{ try: at, added: [], hash, sent, reply: reply === null ? null : encodeReply(reply) },
    proof: sent.length === 0 ? 'none' : sent.every((one) => one === hash) ? 'equal' : 'different',
  }));
  return { runId, requestedIn: runId, step, source: 'recorded', messages, tools: offeredTools(request), turns };
}

/** The run that made this step's calls: a fork's first steps belong to its origin. */
async function whoAsked({ queries }: PromptPorts, run: RunDetail, step: number): Promise<RunDetail> {
  let asked = run;
  while (asked.forkedFrom !== null && step <= (asked.forkedAtStep ?? 0)) {
    // An import may have omitted it.
    const origin = await queries.showRun(asked.forkedFrom).catch((error: unknown) => {
      if (error instanceof BenchError && error.type === 'not_found') return null;
      throw error;
    });
    if (origin === null) break;
    asked = origin;
  }
  return asked;
}

/** MLGym's and other tools' records have no requeries and no hash: their history is used as is. */
async function recorded({ store, queries }: PromptPorts, run: RunDetail, step: number): Promise<PromptDocument> {
  const { prompt: first, footers } = await queries.recordedPrompt(run.runId);
  const messages = first.map(({ role, content }): ChatMessage => ({
    role: role === 'system' ? role : 'user',
    content,
  }));
  let whole = first.length > 0;
  let reply: string | null = null;
  for (const { step: at, response, observation } of await stepsThrough(store, run.runId, step)) {
    if (at === step) {
      reply = response;
      break;
    }
    const footer = footers?.[at - 1] ?? null;
    whole &&= footer !== null;
    messages.push({ role: 'assistant', content: response });
    messages.push({ role: 'user', content: `${observation ?? ''}${footer ?? ''}` });
  }
  const hash = requestHash({ provider: run.provider, model: run.providerModel, messages });
  return {
    ...{
      runId: run.runId,
      requestedIn: run.runId,
      step,
      source: whole ? 'recorded' : 'partial',
      messages,
      tools: null,
    },
    turns: [{ try: 0, added: [], reply, hash, sent: [], proof: 'none' }],
  };
}

async function stepsThrough(store: PromptPorts['store'], runId: string, step: number): Promise<ShownStep[]> {
  const steps: ShownStep[] = [];
  for await (const some of store.shownSteps(runId, { after: 0, through: step })) steps.push(...some);
  return steps;
}
