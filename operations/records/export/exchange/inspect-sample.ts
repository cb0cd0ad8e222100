import { resultTexts } from '../../../../domain/agent/step-text.js';
import { NOT_RUN } from '../../../../domain/agent/reply-messages.js';
import {
  answeringCall,
  type ExchangedStep,
  type RecordedCall,
  refusedCalls,
} from '../../../../domain/exchange/recorded-run.js';
import type { ChatMessage } from '../../../../domain/model/model.js';
import type { EvaluationDetail, RunDetail } from '../../../../domain/views/runs.js';
import { type ExchangedRun, stepExtra } from './exchanged-run.js';
import { objectCalls, type ObjectCall, stepReply } from './tool-calls.js';

export interface SamplePlace {
  id: string;
  /** From 1, over the runs of a task. */
  epoch: number;
}

/** A sample's entry in the log's lists. */
export type SampleSummary = Record<string, unknown>;

type Message = Record<string, unknown> & { id: string };

const objectsOf = (calls: readonly ObjectCall[]): object[] =>
  calls.map(({ id, name, arguments: given, argumentsText }) => ({
    ...{ id, function: name, arguments: given, type: 'function' },
    ...(argumentsText !== undefined && { parse_error: null }),
  }));

/**
 * A run as a sample of an Inspect log. Messages are written twice: for people, and as the pool that
 * model calls point into. Steps are reread for each list to bound memory. Returns its summary.
 */
export async function* sampleText(
  exchanged: ExchangedRun,
  place: SamplePlace,
): AsyncGenerator<string, SampleSummary, undefined> {
  const { run, record, prompt } = exchanged;
  const writer = new SampleWriter(exchanged);
  const facts = sampleFacts(exchanged, place);
  yield `${JSON.stringify(facts).slice(0, -1)},"messages":[`;
  let messages = 0;
  const listed = (message: object): string => `${messages++ === 0 ? '' : ','}\n${JSON.stringify(message)}`;
  for (const [index, message] of prompt.entries()) yield listed(writer.promptMessage(message, index));
  let last: ExchangedStep | null = null;
  let turns = 0;
  for await (const step of record.steps()) {
    for (const message of writer.messages(step)) yield listed(message);
    turns += refusedCalls(step.calls).length + 1;
    last = step;
  }
  const said = messages;
  yield `\n],"output":${JSON.stringify(last === null ? { model: writer.model, choices: [] } : writer.output(last))},"events":[`;
  let first = true;
  for await (const event of writer.events(place, said)) {
    yield `${first ? '' : ','}\n${JSON.stringify(event)}`;
    first = false;
  }
  yield '\n],"events_data":{"messages":[';
  messages = 0;
  for (const [index, message] of prompt.entries()) yield listed(writer.promptMessage(message, index));
  for await (const step of record.steps()) for (const message of writer.messages(step)) yield listed(message);
  for await (const step of record.steps()) for (const message of writer.refusedMessages(step)) yield listed(message);
  yield `\n],"calls":[]},"turn_count":${turns},"attachments":{}}`;
  const { store: _, error, limit, ...summary } = facts;
  return {
    ...summary,
    ...(error !== undefined && { error: error.message }),
    ...(limit !== undefined && { limit: limit.type }),
    ...{ completed: run.status === 'ended', message_count: said, turn_count: turns },
  };
}

/** All of a sample but its lists. */
function sampleFacts({ run, prompt, extra }: ExchangedRun, { id, epoch }: SamplePlace) {
  const started = run.startedAt ?? run.createdAt;
  const ended = run.endedAt ?? run.updatedAt;
  const error = sampleError(run);
  const limit = sampleLimit(run);
  return {
    ...{ id, epoch, uuid: run.runId },
    input: inputOf(prompt, id),
    target: '',
    ...{ scores: finalScores(run), store: {} },
    metadata: {
      ...{ attempt: run.attempt, seed: run.seed, end_reason: run.endReason, final_evaluation: run.finalEvaluation },
      bench: extra,
    },
    model_usage: { [modelName(run)]: runUsage(run) },
    ...{ started_at: started, completed_at: ended },
    ...{ total_time: Math.max(0, (Date.parse(ended) - Date.parse(started)) / 1000), working_time: workingTime(run) },
    ...(error !== undefined && { error }),
    ...(limit !== undefined && { limit }),
  };
}

const workingTime = (run: RunDetail): number =>
  Math.max(0, (Date.parse(run.endedAt ?? run.updatedAt) - Date.parse(run.startedAt ?? run.createdAt)) / 1000);

const inputOf = (prompt: readonly ChatMessage[], id: string): string =>
  prompt.findLast(({ role }) => role === 'user')?.content ?? id;

/** As Inspect names models: provider and model. */
export const modelName = ({ provider, providerModel }: Pick<RunDetail, 'provider' | 'providerModel'>): string =>
  `${provider}/${providerModel}`;

/** The final evaluation's metrics on the ranking split; a missing number has no key. */
export function finalScores(run: RunDetail): Record<string, object> {
  const final = finalEvaluation(run);
  return Object.fromEntries(
    Object.entries(final?.metrics ?? {})
      .filter(([, value]) => Number.isFinite(value))
      .map(([name, value]) => [name, { value, explanation: final?.message ?? '' }]),
  );
}

const finalEvaluation = ({ evaluationList }: RunDetail): EvaluationDetail | undefined =>
  evaluationList.findLast(
    ({ kind, split, status }) => (kind === 'submit' || kind === 'forced') && split === 'test' && status === 'ok',
  );

/** Inspect counts tokens read from a cache, or written to it, apart from the input. */
function usageOf(usage: {
  input: number;
  output: number;
  cached: number;
  cacheWrite: number;
  reasoning: number;
  cost: string | null;
}): object {
  return {
    input_tokens: Math.max(0, usage.input - usage.cached - usage.cacheWrite),
    output_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    input_tokens_cache_read: usage.cached,
    input_tokens_cache_write: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
    ...(usage.cost !== null && { total_cost: Number(usage.cost) }),
  };
}

export const runUsage = (run: RunDetail): object =>
  usageOf({
    ...{ input: run.usage.inputTokens, output: run.usage.outputTokens, cached: run.usage.cachedTokens },
    ...{ cacheWrite: run.usage.cacheWriteTokens ?? 0, reasoning: run.usage.reasoningTokens },
    cost: run.recordedCostUsd ?? run.costUsd,
  });

const callUsage = (call: RecordedCall): object | undefined =>
  call.inputTokens === null
    ? undefined
    : usageOf({
        ...{ input: call.inputTokens, output: call.outputTokens ?? 0, cached: call.cachedTokens ?? 0 },
        ...{ cacheWrite: call.cacheWriteTokens ?? 0, reasoning: call.reasoningTokens ?? 0, cost: call.costUsd },
      });

/** Inspect accepts only these words. */
function stopReason(finish: string | null, calls: number): string {
  switch (finish) {
    case 'stop':
    case 'tool_calls':
    case 'content_filter':
    case 'model_length':
      return finish;
    case 'length':
      return 'max_tokens';
    case 'refusal':
      return 'content_filter';
    case null:
      return calls > 0 ? 'tool_calls' : 'stop';
    default:
      return 'unknown';
  }
}

const FAULTS: readonly (string | null)[] = ['infra_error', 'config_error', 'api', 'runtime', 'unknown', 'cancelled'];

function sampleError(
  run: RunDetail,
): { message: string; traceback: string; traceback_ansi: string; error_type?: string } | undefined {
  const { endReason, detail, exitStatus } = run;
  if (!FAULTS.includes(endReason)) return undefined;
  const said = detail ?? exitStatus;
  return {
    message: said === null ? String(endReason) : `${endReason}: ${said}`,
    ...{ traceback: '', traceback_ansi: '' },
  };
}

const LIMITS: Readonly<Record<string, { type: string; of: (run: RunDetail) => number }>> = {
  max_steps: { type: 'turn', of: (run) => run.maxSteps },
  wall_time: { type: 'time', of: (run) => run.wallSeconds },
  deadline: { type: 'time', of: (run) => run.wallSeconds },
  tokens: { type: 'token', of: (run) => run.usage.inputTokens + run.usage.outputTokens },
  cost: { type: 'cost', of: (run) => Number(run.costUsd) },
  budget: { type: 'cost', of: (run) => Number(run.costUsd) },
  context: { type: 'context', of: (run) => run.usage.inputTokens },
  format: { type: 'custom', of: (run) => run.steps },
  refusal: { type: 'custom', of: (run) => run.steps },
  forfeit: { type: 'custom', of: (run) => run.steps },
};

function sampleLimit(run: RunDetail): { type: string; limit: number; reason: string } | undefined {
  const { endReason } = run;
  const found = endReason === null ? undefined : LIMITS[endReason];
  return found === undefined || endReason === null
    ? undefined
    : { type: found.type, limit: found.of(run), reason: run.detail ?? endReason };
}

const seconds = (ms: number | null): number => (ms ?? 0) / 1000;
const before = (time: string, ms: number | null): string => new Date(Date.parse(time) - (ms ?? 0)).toISOString();

class SampleWriter {
  readonly model: string;
  readonly #run: RunDetail;
  /** Inspect treats messages with the same id as one message, across samples. */
  readonly #ids: string;
  #uuids = 0;

  constructor(readonly exchanged: ExchangedRun) {
    this.#run = exchanged.run;
    this.#ids = `${exchanged.run.runId.slice(-12)}.`;
    this.model = modelName(exchanged.run);
  }

  promptMessage({ role, content, toolCalls = [], toolCallId }: ChatMessage, index: number): Message {
    return {
      ...{ id: `${this.#ids}p${index + 1}`, role, content },
      ...(toolCalls.length > 0 && { tool_calls: objectsOf(objectCalls(toolCalls, 0)) }),
      ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
      // A demonstration, even an assistant's: no model wrote it in this run.
      metadata: { bench: { prompt: role } },
    };
  }

  messages(step: ExchangedStep): Message[] {
    const reply = stepReply(step);
    const [first, ...others] = reply.calls;
    const messages = [this.#assistant(step)];
    if (step.observation === null) return messages;
    const error = step.timedOut
      ? { type: 'timeout', message: 'The command ran past its limit.' }
      : step.lost
        ? { type: 'unknown', message: 'The command was lost with its sandbox.' }
        : undefined;
    const id = `${this.#ids}s${step.step}r`;
    const [answer, ...more] = resultTexts(step.observation, reply.calls.length);
    messages.push(
      first === undefined
        ? { id, role: 'user', content: step.observation }
        : {
            ...{ id, role: 'tool', content: answer, tool_call_id: first.id, function: first.name },
            ...(error !== undefined && { error }),
          },
    );
    for (const [index, call] of others.entries())
      messages.push({
        ...{
          id: `${id}${index + 2}`,
          role: 'tool',
          content: more[index] ?? NOT_RUN,
          tool_call_id: call.id,
          function: call.name,
        },
      });
    return messages;
  }

  /** Replies that could not be used, each with its error. */
  refusedMessages(step: ExchangedStep): Message[] {
    return refusedCalls(step.calls).flatMap((call) => [this.#refused(step, call), ...this.#requery(step, call)]);
  }

  output(step: ExchangedStep): object {
    const call = answeringCall(step.calls);
    return this.#output(this.#assistant(step), call);
  }

  async *events({ id, epoch }: SamplePlace, said: number): AsyncGenerator<object> {
    const { record, prompt, extra, tools } = this.exchanged;
    const run = this.#run;
    const started = run.startedAt ?? run.createdAt;
    const ended = run.endedAt ?? run.updatedAt;
    let working = 0;
    const event = (kind: string, timestamp: string, rest: object): object => ({
      ...{ uuid: `${run.runId}.${++this.#uuids}`, span_id: 'run', timestamp, working_start: working, event: kind },
      ...rest,
    });
    const scored = new Set<EvaluationDetail>();
    const score = (evaluation: EvaluationDetail): object[] => {
      scored.add(evaluation);
      const { primary, kind, split, message, at } = evaluation;
      if (primary === null) return [event('info', at, { source: 'bench', data: { evaluation } })];
      return [
        event('score', at, {
          score: { value: primary, explanation: message, metadata: { bench: evaluation } },
          // With two splits, the agent does not see the ranking one.
          ...{
            scorer: split === 'test' ? run.primary : `${run.primary} (${split})`,
            intermediate: kind === 'validate',
          },
        }),
      ];
    };
    yield event('span_begin', started, { id: 'run', name: run.agent, type: 'solver' });
    yield event('sample_init', started, {
      sample: { input: inputOf(prompt, id), target: '', id, metadata: { attempt: extra.attempt, epoch } },
      state: {},
    });
    const offered = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
    let place = prompt.length;
    let apart = said;
    for await (const step of record.steps()) {
      const list = run.evaluationList.filter((one) => one.step === step.step && !scored.has(one));
      // The message to the agent comes right before its next reply.
      let more: [number, number][] = [];
      const ask = (message: Message, call: RecordedCall | undefined): object =>
        event('model', before(step.at, call?.ms ?? step.modelMs), {
          ...{ model: this.model, input: [], input_refs: [[0, place], ...more] },
          ...{ tools: offered, tool_choice: 'auto', config: generateConfig(run) },
          output: this.#output(message, call),
          ...{ completed: step.at, working_time: seconds(call?.ms ?? step.modelMs) },
          ...this.#retries(step, call),
        });
      for (const call of refusedCalls(step.calls)) {
        yield ask(this.#refused(step, call), call);
        working += seconds(call.ms);
        const length = 1 + this.#requery(step, call).length;
        more = [[apart, apart + length]];
        apart += length;
      }
      const call = answeringCall(step.calls);
      yield ask(this.#assistant(step), call);
      working += seconds(call?.ms ?? step.modelMs);
      const [first] = stepReply(step).calls;
      if (first !== undefined && step.observation !== null) {
        yield event('tool', step.at, {
          ...{ id: first.id, type: 'function', function: first.name, arguments: first.arguments },
          ...{
            result: step.observation,
            message_id: `${this.#ids}s${step.step}r`,
            completed: step.executedAt ?? step.at,
          },
          working_time: seconds(step.commandMs),
          ...(step.timedOut && { error: { type: 'timeout', message: 'The command ran past its limit.' } }),
        });
        working += seconds(step.commandMs);
      }
      for (const evaluation of list.filter(({ kind }) => kind === 'validate')) yield* score(evaluation);
      place += this.messages(step).length;
    }
    for (const evaluation of run.evaluationList) if (!scored.has(evaluation)) yield* score(evaluation);
    yield event('span_end', ended, { id: 'run' });
  }

  #assistant(step: ExchangedStep): Message {
    const reply = stepReply(step);
    const [first] = reply.calls;
    const command = first?.arguments['command'];
    const said = {
      ...{ text: reply.text, synthetic: reply.synthetic },
      command: reply.synthetic && typeof command === 'string' ? command : null,
    };
    const evaluations = this.#run.evaluationList.filter((one) => one.step === step.step);
    return {
      ...{
        id: `${this.#ids}s${step.step}`,
        role: 'assistant',
        source: 'generate',
        model: this.model,
        content: reply.text,
      },
      ...(reply.calls.length > 0 && { tool_calls: objectsOf(reply.calls) }),
      metadata: {
        bench: {
          at: step.at,
          ...stepExtra(step, said, evaluations, this.exchanged.requery),
          ...(reply.calls.some(({ argumentsText, sentId }) => argumentsText !== undefined || sentId !== undefined) && {
            sent: reply.calls.map(({ argumentsText, sentId }) => ({ arguments_text: argumentsText, id: sentId })),
          }),
        },
      },
    };
  }

  #refused(step: ExchangedStep, call: RecordedCall): Message {
    const calls = objectCalls(call.toolCalls ?? [], step.step);
    return {
      ...{ id: `${this.#ids}s${step.step}t${call.try}`, role: 'assistant', source: 'generate', model: this.model },
      content: call.response ?? '',
      ...(calls.length > 0 && { tool_calls: objectsOf(calls) }),
    };
  }

  #requery(step: ExchangedStep, call: RecordedCall): Message[] {
    const calls = objectCalls(call.toolCalls ?? [], step.step);
    return this.exchanged.requery(call).map(({ role, content }, index) => ({
      ...{ id: `${this.#ids}s${step.step}t${call.try}r${index + 1}`, role, content },
      ...(role === 'tool' && { tool_call_id: calls[index]?.id ?? '', function: calls[index]?.name ?? '' }),
    }));
  }

  #output(message: Message, call: RecordedCall | undefined): object {
    const usage = call === undefined ? undefined : callUsage(call);
    const { metadata: _, ...said } = message;
    return {
      model: this.model,
      choices: [
        {
          message: said,
          stop_reason: stopReason(
            call?.finishReason ?? null,
            (message['tool_calls'] as unknown[] | undefined)?.length ?? 0,
          ),
        },
      ],
      completion: message['content'],
      ...(usage !== undefined && { usage }),
      ...(call?.ms != null && { time: seconds(call.ms) }),
    };
  }

  /** Unanswered calls count as Inspect's retries. */
  #retries(step: ExchangedStep, call: RecordedCall | undefined): object {
    const retries = step.calls.filter((one) => one.try === call?.try && one.status !== 'confirmed').length;
    return retries === 0 ? {} : { retries };
  }
}

export function generateConfig({ sampling, seed }: Pick<RunDetail, 'sampling' | 'seed'>): object {
  const { temperature, topP, maxOutputTokens } = sampling;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
    seed,
  };
}
