import { separateCalls } from './step-text.js';
import { action, identity } from './parsers/action.js';
import { fenced } from './parsers/fenced.js';
import { json } from './parsers/json.js';
import { mlgymThoughtAction } from './parsers/mlgym-thought-action.js';
import type { OutputParser, ReplyParser } from './parsers/parsed-reply.js';
import { formatError } from './parsers/parsed-reply.js';
import { editFormat, thoughtAction } from './parsers/thought-action.js';
import { severalToolCalls, toolCalls } from './parsers/tool-calls.js';
import { xmlThoughtAction } from './parsers/xml-thought-action.js';

export { parseFencedReply } from './parsers/fenced.js';
export type { ParserContext, ReplyInput, ReplyParser } from './parsers/parsed-reply.js';

export const OUTPUT_PARSERS = [
  'fenced',
  'tool-calls',
  'several-tool-calls',
  'mlgym-thought-action',
  'thought-action',
  'edit-format',
  'xml-thought-action',
  'action',
  'identity',
  'json',
] as const;
export type OutputParserName = (typeof OUTPUT_PARSERS)[number];

/** Reads native tool calls, which the provider must offer. */
export const callsTools = (parser: OutputParserName): boolean => parser === 'tool-calls' || allowsSeveral(parser);
/** Several commands of one reply are one step. */
export const allowsSeveral = (parser: OutputParserName): boolean => parser === 'several-tool-calls';

/** Names in MLGym and SWE-agent. */
export const OUTPUT_PARSER_ALIASES: Readonly<Record<string, OutputParserName>> = {
  MLGymThoughtActionParser: 'mlgym-thought-action',
  ThoughtActionParser: 'thought-action',
  EditFormat: 'edit-format',
  XMLThoughtActionParser: 'xml-thought-action',
  ActionParser: 'action',
  Identity: 'identity',
  JsonParser: 'json',
};

/** The commands of a recorded action, in order. */
export const actionsOf = ({ agent }: { agent: { outputParser: OutputParserName } }, recorded: string): string[] =>
  allowsSeveral(agent.outputParser) ? separateCalls(recorded) : [recorded];

const PARSERS: Record<OutputParserName, OutputParser> = {
  fenced,
  'tool-calls': toolCalls,
  'several-tool-calls': severalToolCalls,
  'mlgym-thought-action': mlgymThoughtAction,
  'thought-action': thoughtAction,
  'edit-format': editFormat,
  'xml-thought-action': xmlThoughtAction,
  action,
  identity,
  json,
};

const OPENING = /^\s*<think>/i;
const CLOSING = /<\/think>/i;

/**
 * Servers without a parser for reasoning leave it at the text's beginning. `thought`: with its
 * tags; empty: none. `rest`: null: the thought never ends.
 */
function leadingThought(text: string): { thought: string; rest: string | null } {
  if (!OPENING.test(text)) return { thought: '', rest: text };
  const closing = CLOSING.exec(text);
  if (closing === null) return { thought: text, rest: null };
  const end = closing.index + closing[0].length;
  return { thought: text.slice(0, end), rest: text.slice(end).replace(/^(?:[ \t]*\r?\n)+/, '') };
}

/** What a text says after a leading thought; empty: the thought never ends. */
export const withoutThought = (text: string): string => leadingThought(text).rest ?? '';

/** What stands around the command, after such a thought. */
const afterThought = (thought: string, rest: string): string =>
  thought === '' ? rest : rest.trim() === '' ? thought.trim() : `${thought.trim()}\n\n${rest}`;

const CUT =
  '; the reply was cut by the output limit: say less before the command, and write a long file with several commands';
const CUT_IN_THOUGHT =
  'the reply was cut by the output limit within its <think>, before any command: think less, then give the command';
const ENDLESS_THOUGHT =
  'the <think> at its beginning has no </think>, so all of the reply is thought: end the thought, then give the command';

/**
 * A leading <think>…</think> is thought, whatever it holds; tool calls are apart from the text. An
 * empty command is a format error, and a truncated reply has its own error.
 */
export function parserOf(name: OutputParserName): ReplyParser {
  const { parse } = PARSERS[name];
  return (reply, context) => {
    const isCut = reply.finishReason === 'length';
    const { thought, rest } = leadingThought(reply.text);
    if (rest === null && (reply.toolCalls ?? []).length === 0)
      return formatError(isCut ? CUT_IN_THOUGHT : ENDLESS_THOUGHT);
    const read = parse(thought === '' ? reply : { ...reply, text: rest ?? '' }, context);
    const parsed = read.kind === 'action' && read.action.trim() === '' ? formatError('the command was empty') : read;
    if (parsed.kind === 'action') return { ...parsed, thought: afterThought(thought, parsed.thought) };
    return isCut ? formatError(parsed.problem + CUT) : parsed;
  };
}

/** For the model: `expectedFormat` in templates. */
export const expectedFormat = (name: OutputParserName): string => PARSERS[name].expectedFormat;
