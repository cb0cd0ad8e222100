import type { ChatMessage, ToolCall } from '../model/model.js';
import type { ReplyInput } from './parse-reply.js';
import { callArguments } from './parsers/tool-calls.js';

/** Providers refuse an assistant message without content. */
const EMPTY = '(empty reply)';
/** Result of a reply's further calls. */
export const NOT_RUN = 'Not run: one call per reply.';
/** Where several are allowed: the results before it say why. */
const NOT_REACHED = 'Not run.';

/**
 * Calls that every provider accepts: our own ids (unique in the run, nine letters and digits),
 * well-formed names, arguments that are a JSON object. The original stays readable. `given`: the
 * ids stay, for the provider that gave them.
 */
function sendableCalls(calls: readonly ToolCall[], step: number, given: boolean): ToolCall[] {
  return calls.map((call, index) => {
    const own = `c${String(step).padStart(5, '0')}${String(index + 1).padStart(3, '0')}`;
    const id = given && call.id !== '' ? call.id : own;
    const name = call.name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
    if (call.arguments.trim() === '') return { id, name, arguments: '{}' };
    const valid = callArguments(call) !== null;
    return { id, name, arguments: valid ? call.arguments : JSON.stringify({ unreadable: call.arguments }) };
  });
}

/**
 * A pair of texts, or tool calls and a result for each: its answer, or that it was not run. The
 * reply's `reasoning` must be of the model that gets the messages.
 */
export function exchange(
  reply: ReplyInput,
  answers: readonly string[],
  at: { step: number; tools: boolean; several: boolean },
): ChatMessage[] {
  const { reasoning } = reply;
  const calls = at.tools ? sendableCalls(reply.toolCalls ?? [], at.step, reasoning !== undefined) : [];
  if (calls.length === 0) {
    return [
      { role: 'assistant', content: reply.text.trim() === '' ? EMPTY : reply.text },
      { role: 'user', content: answers.join('\n') },
    ];
  }
  return [
    { role: 'assistant', content: reply.text, toolCalls: calls, ...(reasoning !== undefined && { reasoning }) },
    ...calls.map((call, index): ChatMessage => ({
      role: 'tool',
      content: answers[index] ?? (at.several ? NOT_REACHED : NOT_RUN),
      toolCallId: call.id,
    })),
  ];
}
