import type { ExchangedStepRow } from '../../../../domain/ports/imports.js';
import { encodeReply } from '../../../../domain/agent/reply-encoding.js';
import { type ExtraCall, type StepExtra, stepExtraSchema } from '../../../../domain/exchange/bench-extra.js';
import type { Remarks } from '../remarks.js';
import type { Json } from '../read-json.js';

interface SourceCall {
  id: string;
  name: string;
  arguments: Json;
  argumentsText: string | null;
  sentId: string | null;
}

/** A reply and its outcome, in the fields that both formats share. */
export interface SourceStep {
  text: string;
  reasoning: string | null;
  calls: readonly SourceCall[];
  /** bench made the call: the agent writes commands into its text. */
  synthetic: boolean;
  observation: string | null;
  at: string | null;
  /** Tokens and cost in the format's own fields; null: none. */
  usage: ExtraCall | null;
}

/** bench's own fields of a step; null: another tool wrote or changed it. */
export function stepExtraOf(value: Json | undefined, file: string, key: string, remarks: Remarks): StepExtra | null {
  if (value === undefined) return null;
  const read = stepExtraSchema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  remarks.odd(
    file,
    `${key}.${issue?.path.join('.') ?? ''}`,
    'wrong_type',
    `not as bench writes it: ${issue?.message ?? ''}`,
  );
  return null;
}

/** A step as it is stored, renumbered. */
export function stepRow(step: number, recorded: SourceStep, extra: StepExtra | null): ExchangedStepRow {
  const sent = recorded.synthetic
    ? []
    : recorded.calls.map((call) => ({
        id: call.sentId ?? call.id,
        name: call.name,
        arguments: call.argumentsText ?? JSON.stringify(call.arguments),
      }));
  const [first] = recorded.calls;
  const command = commandOf(first);
  const call = extra?.call ?? recorded.usage;
  return {
    step,
    response: encodeReply({ text: recorded.text, toolCalls: sent }),
    thought: extra === null ? (recorded.reasoning ?? recorded.text) : (extra.thought ?? recorded.text),
    action:
      extra === null
        ? (command ?? '')
        : extra.action === undefined
          ? recorded.synthetic
            ? command
            : null
          : extra.action,
    observation: recorded.observation,
    exit_code: extra?.exit_code ?? null,
    timed_out: extra?.timed_out ?? false,
    lost: extra?.lost ?? false,
    output_bytes:
      extra?.output_bytes ?? (recorded.observation === null ? null : Buffer.byteLength(recorded.observation)),
    requested: extra?.requested ?? null,
    working_dir: extra?.working_dir ?? null,
    tool_state: extra?.tool_state ?? null,
    command_ms: extra?.command_ms ?? null,
    model_ms: extra?.model_ms ?? null,
    created_at: recorded.at,
    executed_at: extra?.executed_at ?? null,
    calls: [...(call === null ? [] : [answer(call, recorded.text, sent)]), ...(extra?.calls ?? [])],
  };
}

const answer = (call: ExtraCall, text: string, calls: readonly { id: string; name: string; arguments: string }[]) => ({
  ...call,
  response: text,
  ...(calls.length > 0 && { tool_calls: [...calls] }),
});

/** The call in a shell: its command, or its name and arguments. */
function commandOf(call: SourceCall | undefined): string | null {
  if (call === undefined) return null;
  const given = call.arguments;
  if (typeof given === 'object' && given !== null && !Array.isArray(given))
    for (const key of ['command', 'cmd', 'keystrokes', 'code']) if (typeof given[key] === 'string') return given[key];
  return `${call.name} ${JSON.stringify(given)}`;
}
