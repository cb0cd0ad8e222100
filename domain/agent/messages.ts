import type { ChatMessage, ToolDefinition } from '../model/model.js';
import { withStability } from '../model/prompt-stability.js';
import { isReasoningOf } from '../model/returned-reasoning.js';
import type { RunDefinition, ShownStep } from '../run/run.js';
import type { ToolState } from './tool-state.js';
import { clipObservation } from '../text/format.js';
import { commandDocs, commandTools } from './commands.js';
import { demonstrationText } from './demonstrations.js';
import { historyProcessorOf } from './history/process-history.js';
import type { HistoryProcessor, PromptMessage } from './history/prompt-message.js';
import { allowsSeveral, callsTools, expectedFormat, type ReplyInput } from './parse-reply.js';
import { decodeReply } from './reply-encoding.js';
import { separateResults, summarisedThrough, summaryMessage } from './step-text.js';
import { exchange } from './reply-messages.js';
import { renderTemplate } from './templates.js';
import { offeredCommands } from './offered-commands.js';
import type { CommandDoc } from './command-line.js';

export type PromptInput = Pick<RunDefinition, 'task' | 'agent' | 'maxSteps'> &
  Partial<Pick<RunDefinition, 'gpus' | 'model' | 'maxValidations' | 'draftNote' | 'wallSeconds' | 'costLimitUsd'>> & {
    /** Records in the task's memory at the run's start; null or absent: no memory. */
    memoryRecords?: number | null;
  };

const callsOf = ({ agent: { outputParser } }: PromptInput): { tools: boolean; several: boolean } => ({
  tools: callsTools(outputParser),
  several: allowsSeveral(outputParser),
});

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

/** `1 h 5 min`, `12 min`, `40 s`. */
function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${Math.max(0, Math.floor(seconds))} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const dollars = (usd: string): string => `$${Number(usd).toFixed(2)}`;

type Limits = Pick<PromptInput, 'gpus' | 'wallSeconds' | 'costLimitUsd'>;

/** What the run may still use, as recorded with a step; before the first, its limits. */
function limitVariables(run: Limits, used: ToolState['used']): Record<string, string> {
  const { wallSeconds = 0, costLimitUsd = null } = run;
  const { seconds, ofSeconds, usd, ofUsd } = used ?? {
    ...{ seconds: 0, ofSeconds: wallSeconds > 0 ? wallSeconds : null, usd: '0', ofUsd: costLimitUsd },
  };
  return {
    timeLeft: ofSeconds === null ? `${durationText(seconds)} used` : `${durationText(ofSeconds - seconds)} left`,
    moneyLeft:
      ofUsd === null
        ? `${dollars(usd)} spent`
        : `${dollars(String(Math.max(0, Number(ofUsd) - Number(usd))))} of ${dollars(ofUsd)} left`,
  };
}

/** Whether prompts of this agent show time or money: only then are they recorded. */
export const showsLimits = ({ nextStepTemplate, taskTemplate }: RunDefinition['agent']): boolean =>
  /\b(?:timeLeft|moneyLeft)\b/.test(nextStepTemplate ?? taskTemplate);

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

/** Per step, from the sandbox and from our count. */
export const statusVariables = (
  state: ToolState | null,
  workingDir: string,
  run: Limits = {},
): Record<string, unknown> => ({
  ...{ workingDir, openFile: state?.openFile ?? 'n/a' },
  ...gpuVariables(state, run.gpus ?? 0),
  ...limitVariables(run, state?.used),
});

function commandsOf(run: PromptInput, variables: Record<string, unknown>): CommandDoc[] {
  const all = { ...variables, ...ownVariables(run.agent) };
  return offeredCommands(run).map((command) => ({
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

/** Only for an agent that calls tools. `listed`: of its MCP servers. */
export function toolDefinitions(
  run: PromptInput,
  workspace: string,
  listed: readonly ToolDefinition[] | null = null,
): ToolDefinition[] | undefined {
  if (!callsTools(run.agent.outputParser)) return undefined;
  const own = commandTools(commandsOf(run, taskVariables(run, workspace)), run.task.limits.commandSeconds);
  return [...own, ...(listed ?? [])];
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

/** As the model sees them: one, or one for each call that ran. */
function observationTexts(run: PromptInput, step: ShownStep, variables: Record<string, unknown>): string[] {
  const calls = allowsSeveral(run.agent.outputParser) ? (decodeReply(step.response).toolCalls?.length ?? 1) : 1;
  if (calls === 1) return [observationText(run, step, variables)];
  const limit = Math.floor(run.agent.observationLimit / calls);
  return separateResults(step.observation ?? '', calls).map(({ text, exitCode }) =>
    observationText(run, { ...step, observation: text, exitCode }, variables, limit),
  );
}

function observationText(
  run: PromptInput,
  step: ShownStep,
  variables: Record<string, unknown>,
  limit = run.agent.observationLimit,
): string {
  const { taskTemplate, nextStepTemplate, nextStepNoOutputTemplate } = run.agent;
  const observation = clipObservation(step.observation ?? '', limit);
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
    ...statusVariables(toolState, workingDir ?? workspace, run),
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
function stepMessages(context: PromptContext, step: ShownStep, settled?: readonly string[]): PromptMessage[] {
  const { run } = context;
  const shown = settled === undefined ? observationTexts(run, step, variablesAfter(context, step.step, step)) : settled;
  const reply = { ...decodeReply(step.response), reasoning: step.reasoning ?? undefined };
  const messages = exchange(forModel(run, reply), shown, { step: step.step, ...callsOf(run) });
  let answers = 0;
  return messages.map((message): PromptMessage => {
    if (message.role === 'assistant') return { ...message, origin: 'reply' };
    const content = settled?.[answers++];
    return { ...message, origin: 'observation', ...(content !== undefined && { content, settled: true }) };
  });
}

/** Messages by step, with one more. After a summary, it is in place of the steps that it is of. */
export function withStep(
  context: PromptContext,
  steps: readonly PromptMessage[][],
  step: ShownStep,
  settled?: readonly string[],
): PromptMessage[][] {
  const through = summarisedThrough(context.run.agent, step.action ?? null);
  if (through === null) return [...steps, stepMessages(context, step, settled)];
  const content = summaryMessage(through, step.response);
  return [
    ...steps
      .slice(0, through)
      .map((_, at): PromptMessage[] => (at === through - 1 ? [{ role: 'user', content, origin: 'task' }] : [])),
    ...steps.slice(through),
    [],
  ];
}

/** Before history processing. */
function promptMessages(run: PromptInput, steps: readonly ShownStep[], workspace: string): PromptMessage[] {
  const context = promptContext(run, workspace);
  const shown = steps.reduce<PromptMessage[][]>((before, step) => withStep(context, before, step), []);
  return [...openingMessages(context), ...shown.flat()];
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
  exchange(typeof reply === 'string' ? { text: reply } : forModel(run, reply), [answer], {
    step: 0,
    ...callsOf(run),
  });

/** Reasoning goes back to the model that it came from. */
const forModel = ({ model }: PromptInput, { reasoning, ...reply }: ReplyInput): ReplyInput =>
  reasoning !== undefined && isReasoningOf(reasoning, model) ? { ...reply, reasoning } : reply;
