import type { ChatMessage, ToolDefinition } from '../model/model.js';
import { withStability } from '../model/prompt-stability.js';
import { isReasoningOf } from '../model/returned-reasoning.js';
import type { RunDefinition, ShownStep } from '../run/run.js';
import type { ToolState } from './tool-state.js';
import { clipObservation } from './clip-observation.js';
import { commandDocs, commandTools } from './commands.js';
import { demonstrationText } from './demonstrations.js';
import { historyProcessorOf } from './history/process-history.js';
import type { HistoryProcessor, PromptMessage } from './history/prompt-message.js';
import { expectedFormat, type ReplyInput } from './parse-reply.js';
import { decodeReply } from './reply-encoding.js';
import { exchange } from './reply-messages.js';
import { renderTemplate } from './templates.js';
import type { CommandDoc } from './command-doc.js';

export type PromptInput = Pick<RunDefinition, 'task' | 'agent' | 'maxSteps'> &
  Partial<Pick<RunDefinition, 'gpus' | 'model' | 'maxValidations' | 'draftNote'>> & {
    /** Records in the task's memory at the run's start; null or absent: no memory. */
    memoryRecords?: number | null;
  };

const callsTools = (agent: RunDefinition['agent']): boolean => agent.outputParser === 'tool-calls';

/** Independent of the commands, whose texts and the task's description may use them. */
function taskVariables(run: PromptInput, workspace: string): Record<string, unknown> {
  const base = {
    workspace,
    maxSteps: run.maxSteps,
    commandSeconds: run.task.limits.commandSeconds,
    gpus: run.gpus ?? 0,
    memoryRecords: run.memoryRecords ?? 'off',
    maxValidations: run.maxValidations ?? 'unlimited',
    task: run.task,
  };
  const description = renderTemplate('task description', run.task.description, base);
  return { ...base, task: { ...run.task, description } };
}

/** The agent's variables and its commands' environment. */
export const ownVariables = (agent: RunDefinition['agent']): Record<string, unknown> => ({
  ...agent.tools.environment,
  ...agent.variables,
});

const NOT_REPORTED = 'unknown';

/** As the sandbox last reported them; `none` without GPUs. */
function gpuVariables(state: ToolState | null, gpus: number): Record<string, string> {
  const found = state?.gpus ?? [];
  const without = gpus === 0 ? 'none' : NOT_REPORTED;
  const memory = found.map(({ usedMb, memoryMb }) => `${Math.round(usedMb)} of ${Math.round(memoryMb)} MB used`);
  return {
    gpuNames: found.map(({ name }) => name).join(', ') || without,
    gpuMemory: memory.join(', ') || without,
  };
}

/** Per step, from the sandbox. `gpus`: how many the run was given. */
export const statusVariables = (
  state: ToolState | null,
  workingDir: string,
  gpus: number,
): Record<string, unknown> => ({ workingDir, openFile: state?.openFile ?? 'n/a', ...gpuVariables(state, gpus) });

function commandsOf(run: PromptInput, variables: Record<string, unknown>): CommandDoc[] {
  const all = { ...variables, ...ownVariables(run.agent) };
  return run.agent.tools.commands.map((command) => ({
    ...command,
    docstring: renderTemplate(`docstring of ${command.name}`, command.docstring, all).trim(),
  }));
}

/** Variables of every template: see docs/reference/agents.md. */
export function promptVariables(run: PromptInput, workspace: string): Record<string, unknown> {
  const variables = taskVariables(run, workspace);
  const docs = commandDocs(commandsOf(run, variables), run.agent.tools.documentation);
  return { ...variables, commandDocs: docs, ...ownVariables(run.agent) };
}

/** Only for an agent that calls tools. */
export function toolDefinitions(run: PromptInput, workspace: string): ToolDefinition[] | undefined {
  if (!callsTools(run.agent)) return undefined;
  return commandTools(commandsOf(run, taskVariables(run, workspace)), run.task.limits.commandSeconds);
}

/** One user message per demonstration, or all its messages. A replay reads no prompt. */
function demonstrationMessages(run: PromptInput, variables: Record<string, unknown>): PromptMessage[] {
  if (run.model?.kind === 'replay') return [];
  const { demonstrations, demonstrationTemplate, putDemosInHistory } = run.agent;
  return demonstrations.flatMap((demonstration): PromptMessage[] => {
    if (putDemosInHistory) return demonstration.messages.map((message) => ({ ...message, origin: 'demonstration' }));
    const content = renderTemplate('demonstrationTemplate', demonstrationTemplate ?? '{{ demonstration }}', {
      ...variables,
      demonstration: demonstrationText(demonstration),
    });
    return [{ role: 'user', content, origin: 'demonstration' }];
  });
}

function observationText(run: PromptInput, step: ShownStep, variables: Record<string, unknown>): string {
  const { taskTemplate, nextStepTemplate, nextStepNoOutputTemplate, observationLimit } = run.agent;
  const observation = clipObservation(step.observation ?? '', observationLimit);
  const blank = observation.trim() === '' && nextStepNoOutputTemplate !== undefined;
  return renderTemplate(
    blank ? 'nextStepNoOutputTemplate' : nextStepTemplate === undefined ? 'taskTemplate' : 'nextStepTemplate',
    blank ? nextStepNoOutputTemplate : (nextStepTemplate ?? taskTemplate),
    { ...variables, observation, exitCode: step.exitCode ?? 'unknown', timedOut: step.timedOut },
  );
}

export interface PromptContext {
  run: PromptInput;
  workspace: string;
  variables: Record<string, unknown>;
}

export const promptContext = (run: PromptInput, workspace: string): PromptContext => ({
  run,
  workspace,
  variables: promptVariables(run, workspace),
});

function variablesAfter(
  { run, variables, workspace }: PromptContext,
  taken: number,
  { toolState = null, workingDir }: Partial<Pick<ShownStep, 'toolState' | 'workingDir'>>,
): Record<string, unknown> {
  const { memoryRecords: earlier = null } = run;
  return {
    ...variables,
    ...{ currentStep: taken + 1, remainingSteps: run.maxSteps - taken },
    ...statusVariables(toolState, workingDir ?? workspace, run.gpus ?? 0),
    ...(earlier === null ? {} : { memoryRecords: earlier + (toolState?.memoryWritten ?? 0) }),
  };
}

/** Start of every prompt of the run. */
export function openingMessages(context: PromptContext): PromptMessage[] {
  const { run, variables } = context;
  const { agent } = run;
  const first = { ...variablesAfter(context, 0, {}), observation: '', exitCode: 'none', timedOut: false };
  const task = [renderTemplate('taskTemplate', agent.taskTemplate, first)];
  if (agent.strategyTemplate !== undefined) {
    task.push(renderTemplate('strategyTemplate', agent.strategyTemplate, first));
  }
  if (run.draftNote !== undefined) task.push(run.draftNote);
  return [
    { role: 'system', content: renderTemplate('systemTemplate', agent.systemTemplate, variables), origin: 'system' },
    ...demonstrationMessages(run, variables),
    { role: 'user', content: task.join('\n'), origin: 'task' },
  ];
}

/** A step's reply and outcome. `settled`: contents that replace the observation. */
export function stepMessages(context: PromptContext, step: ShownStep, settled?: readonly string[]): PromptMessage[] {
  const { run } = context;
  const answer = settled === undefined ? observationText(run, step, variablesAfter(context, step.step, step)) : '';
  const reply = { ...decodeReply(step.response), reasoning: step.reasoning ?? undefined };
  const messages = exchange(forModel(run, reply), answer, { step: step.step, tools: callsTools(run.agent) });
  let answers = 0;
  return messages.map((message): PromptMessage => {
    if (message.role === 'assistant') return { ...message, origin: 'reply' };
    const content = settled?.[answers++];
    return { ...message, origin: 'observation', ...(content !== undefined && { content, settled: true }) };
  });
}

/** Before history processing. */
function promptMessages(run: PromptInput, steps: readonly ShownStep[], workspace: string): PromptMessage[] {
  const context = promptContext(run, workspace);
  return [...openingMessages(context), ...steps.flatMap((step) => stepMessages(context, step))];
}

export const historyProcessorFor = ({ agent }: PromptInput): HistoryProcessor =>
  historyProcessorOf(agent.historyProcessor, agent.historyProcessorArgs);

/** For players. */
export const withoutOrigin = (messages: readonly PromptMessage[]): ChatMessage[] => messages.map(sentAs);

/** One object a message: its tokens are estimated once for all prompts. */
const sent = new WeakMap<PromptMessage, ChatMessage>();

function sentAs(shown: PromptMessage): ChatMessage {
  const known = sent.get(shown);
  if (known !== undefined) return known;
  const { origin: _origin, settled, leaves, ...message } = shown;
  withStability(message, settled === true ? 'settled' : leaves === true ? 'leaves' : undefined);
  sent.set(shown, message);
  return message;
}

/**
 * The messages before step `steps.length + 1`: system, demonstrations, task, then a pair per step.
 * They depend on the record only, never on the memory of a process.
 */
export const buildMessages = (run: PromptInput, steps: readonly ShownStep[], workspace: string): ChatMessage[] =>
  withoutOrigin(historyProcessorFor(run).show(promptMessages(run, steps, workspace)));

/** After an unreadable reply: the reply and its problem. */
export function formatErrorMessages(run: PromptInput, badReply: string | ReplyInput, problem: string): ChatMessage[] {
  const { agent } = run;
  const answer = renderTemplate('formatErrorTemplate', agent.formatErrorTemplate, {
    ...ownVariables(agent),
    problem,
    expectedFormat: expectedFormat(agent.outputParser),
  });
  return requery(run, badReply, answer);
}

/** After a refused command. */
export function blockedMessages(
  run: PromptInput,
  reply: ReplyInput,
  blocked: { problem: string; command: string; action: string },
): ChatMessage[] {
  const { agent } = run;
  const { problem, command, action } = blocked;
  const variables = { ...ownVariables(agent), problem, command, action };
  return requery(run, reply, renderTemplate('blocklistErrorTemplate', agent.blocklistErrorTemplate, variables));
}

const requery = (run: PromptInput, reply: string | ReplyInput, answer: string): ChatMessage[] =>
  exchange(typeof reply === 'string' ? { text: reply } : forModel(run, reply), answer, {
    step: 0,
    tools: callsTools(run.agent),
  });

/** Reasoning goes back to the model that it came from. */
const forModel = ({ model }: PromptInput, { reasoning, ...reply }: ReplyInput): ReplyInput =>
  reasoning !== undefined && isReasoningOf(reasoning, model) ? { ...reply, reasoning } : reply;
