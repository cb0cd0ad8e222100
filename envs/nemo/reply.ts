import { toolAction } from '../openenv/action.js';
import { isObject } from '../tools.js';

export interface ToolCall {
  call_id: string;
}

/** The first tool call of a model's response is the action; the others get answers too. */
export interface ReadResponse {
  action: unknown;
  calls: ToolCall[];
}

const THOUGHT = /^[\s\S]*<\/think>/;

/** Never refuses a model's output: what is no command is a malformed action. */
export function readResponse(output: readonly unknown[]): ReadResponse {
  const items = output.filter(isObject);
  const calls = items.flatMap((item) =>
    item['type'] === 'function_call' && typeof item['call_id'] === 'string'
      ? [{ ...item, call_id: item['call_id'] }]
      : [],
  );
  const [first] = calls as (ToolCall & Record<string, unknown>)[];
  if (first !== undefined) return { action: toolAction(first['name'], parsed(first['arguments'])), calls };
  const text = items
    .filter((item) => item['type'] === 'message')
    .map((item) => textOf(item['content']))
    .join('');
  // A fenced reply goes to the agent's parser; otherwise the text is the command.
  if (text.includes('```')) return { action: { reply: text }, calls };
  return { action: { command: text.replace(THOUGHT, '').trim() }, calls };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter(isObject)
    .map((part) => (part['type'] === 'output_text' && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}
