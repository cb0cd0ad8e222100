import { resultTexts } from '../../../../domain/agent/step-text.js';
import { NOT_RUN } from '../../../../domain/agent/reply-messages.js';
import { answeringCall, type ExchangedStep } from '../../../../domain/exchange/recorded-run.js';
import { type ExchangedRun, stepExtra } from './exchanged-run.js';
import { stepReply } from './tool-calls.js';

/** The newest version that all of Harbor's readers since 0.20 accept. */
const ATIF_VERSION = 'ATIF-v1.7';

/** A trajectory in Harbor's format, streamed step by step. */
export async function* atifText(exchanged: ExchangedRun): AsyncGenerator<string, void, undefined> {
  const { run, record, prompt, tools, extra } = exchanged;
  const head = {
    ...{ schema_version: ATIF_VERSION, session_id: run.runId, trajectory_id: run.runId },
    agent: {
      ...{ name: run.agent, version: run.harnessVersion, model_name: run.model },
      ...(tools.length > 0 && { tool_definitions: tools.map((tool) => ({ type: 'function', function: tool })) }),
    },
    extra: { bench: extra },
  };
  yield `${JSON.stringify(head).slice(0, -1)},"steps":[`;
  let count = 0;
  const entry = (step: object): string => `${count++ === 0 ? '' : ','}\n${JSON.stringify({ step_id: count, ...step })}`;
  for (const { role, content } of prompt)
    yield entry({
      source: role === 'system' ? 'system' : role === 'assistant' ? 'agent' : 'user',
      message: content,
      // A demonstration: no model wrote it in this run.
      ...(role === 'assistant' && { is_copied_context: true, llm_call_count: 0 }),
      extra: { bench: { prompt: role } },
    });
  for await (const step of record.steps()) yield entry(agentStep(exchanged, step));
  // ATIF requires a step.
  if (count === 0) yield entry({ source: 'system', message: '', extra: { bench: { prompt: 'none' } } });
  const { usage } = extra;
  const final = {
    total_prompt_tokens: usage.input_tokens,
    total_completion_tokens: usage.output_tokens,
    total_cached_tokens: usage.cached_tokens,
    total_cost_usd: Number(usage.cost_usd),
    total_steps: count,
    extra: {
      ...{ reasoning_tokens: usage.reasoning_tokens, cache_write_tokens: usage.cache_write_tokens },
      cost_usd: usage.cost_usd,
    },
  };
  yield `\n],"final_metrics":${JSON.stringify(final)}}\n`;
}

function agentStep({ run, requery }: ExchangedRun, step: ExchangedStep): object {
  const reply = stepReply(step);
  const [first, ...others] = reply.calls;
  const command = first?.arguments['command'];
  const call = answeringCall(step.calls);
  const [answer, ...more] = resultTexts(step.observation ?? '', reply.calls.length);
  const answered = step.calls.filter(({ status }) => status === 'confirmed').length;
  const said = {
    ...{ text: reply.text, synthetic: reply.synthetic },
    command: reply.synthetic && typeof command === 'string' ? command : null,
  };
  return {
    ...{ timestamp: step.at, source: 'agent', message: reply.text },
    ...(reply.calls.length > 0 && {
      tool_calls: reply.calls.map(({ id, name, arguments: object, argumentsText, sentId }) => ({
        ...{ tool_call_id: id, function_name: name, arguments: object },
        ...((argumentsText !== undefined || sentId !== undefined || reply.synthetic) && {
          extra: {
            ...(reply.synthetic && { synthetic: true }),
            ...(argumentsText !== undefined && { arguments_text: argumentsText }),
            ...(sentId !== undefined && { sent_id: sentId }),
          },
        }),
      })),
    }),
    ...(step.observation !== null && {
      observation: {
        results: [
          {
            ...(first !== undefined && { source_call_id: first.id }),
            content: answer,
            extra: {
              ...(step.exitCode !== null && { exit_code: step.exitCode }),
              ...(step.timedOut && { timed_out: true }),
              ...(step.lost && { lost: true }),
              ...(step.commandMs !== null && { command_ms: step.commandMs }),
            },
          },
          ...others.map(({ id }, index) => ({ source_call_id: id, content: more[index] ?? NOT_RUN })),
        ],
      },
    }),
    ...(step.copied
      ? { is_copied_context: true }
      : {
          ...(call !== undefined &&
            call.inputTokens !== null && {
              metrics: {
                prompt_tokens: call.inputTokens,
                completion_tokens: call.outputTokens ?? 0,
                cached_tokens: call.cachedTokens ?? 0,
                ...(call.costUsd !== null && { cost_usd: Number(call.costUsd) }),
                ...((call.reasoningTokens ?? 0) + (call.cacheWriteTokens ?? 0) > 0 && {
                  extra: { reasoning_tokens: call.reasoningTokens, cache_write_tokens: call.cacheWriteTokens },
                }),
              },
            }),
          ...(answered > 0 && { llm_call_count: answered }),
        }),
    extra: {
      bench: stepExtra(
        step,
        said,
        run.evaluationList.filter((one) => one.step === step.step),
        requery,
      ),
    },
  };
}
