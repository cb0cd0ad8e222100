import { stabilityOf, withStability } from '../domain/model/prompt-stability.js';
import type { ChatMessage, ToolCall } from '../domain/model/model.js';

/** Left by a cut within a character; providers refuse it as broken JSON. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const clean = (text: string): string => text.replace(LONE_SURROGATE, '\ufffd');
const orWord = (text: string, word: string): string => (text.trim() === '' ? word : clean(text));

/** Providers validate names and ids, even those that their own model made up. */
const token = (text: string, word: string): string => text.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || word;

/**
 * In a form that every provider takes: no blanks or lone surrogates, valid tool names and ids, and
 * one result per call (one that was never run says so). Ids of calls that go back to the model that
 * made them stay as they are, unless it repeats them.
 */
export function sendableMessages(messages: readonly ChatMessage[], used = new Set<string>()): ChatMessage[] {
  const sent: ChatMessage[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!;
    if (message.role === 'tool')
      sent.push({ role: 'user', content: `Result of a tool call:\n${orWord(message.content, '(no output)')}` });
    else if (message.role !== 'assistant')
      sent.push(
        withStability({ role: message.role, content: orWord(message.content, '(empty)') }, stabilityOf(message)),
      );
    else if (message.toolCalls === undefined || message.toolCalls.length === 0)
      sent.push({ role: 'assistant', content: orWord(message.content, '(empty reply)') });
    else {
      const results: ChatMessage[] = [];
      while (messages[at + 1]?.role === 'tool') results.push(messages[++at]!);
      sent.push(...withResults(message, message.toolCalls, results, used));
    }
  }
  return sent;
}

function withResults(
  message: ChatMessage,
  calls: readonly ToolCall[],
  results: ChatMessage[],
  used: Set<string>,
): ChatMessage[] {
  const { reasoning } = message;
  const toolCalls: ToolCall[] = [];
  const answers: ChatMessage[] = [];
  for (const [index, call] of calls.entries()) {
    const given = reasoning === undefined ? token(call.id, `call_${index}`) : clean(call.id) || `call_${index}`;
    let id = given;
    for (let again = 2; used.has(id); again++) id = `${given.slice(0, 58)}_${again}`;
    used.add(id);
    toolCalls.push({ id, name: token(call.name, 'unnamed'), arguments: clean(call.arguments) });
    const found = results.findIndex((result) => result.toolCallId === call.id);
    const result = found === -1 ? undefined : results.splice(found, 1)[0];
    const answer: ChatMessage = {
      role: 'tool',
      toolCallId: id,
      content: result === undefined ? '(not executed)' : orWord(result.content, '(no output)'),
    };
    answers.push(withStability(answer, result && stabilityOf(result)));
  }
  const content = message.content.trim() === '' ? '' : clean(message.content);
  return [
    { role: 'assistant', content, toolCalls, ...(reasoning !== undefined && { reasoning }) },
    ...answers,
    ...sendableMessages(results, used),
  ];
}
