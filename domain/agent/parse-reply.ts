import { action } from './parsers/action.js';
import { editFormat } from './parsers/edit-format.js';
import { fenced } from './parsers/fenced.js';
import { identity } from './parsers/identity.js';
import { json } from './parsers/json.js';
import { mlgymThoughtAction } from './parsers/mlgym-thought-action.js';
import type { OutputParser, ReplyParser } from './parsers/parsed-reply.js';
import { formatError } from './parsers/parsed-reply.js';
import { thoughtAction } from './parsers/thought-action.js';
import { toolCalls } from './parsers/tool-calls.js';
import { xmlThoughtAction } from './parsers/xml-thought-action.js';

export { parseFencedReply } from './parsers/fenced.js';
export type { ParserContext, ReplyInput, ReplyParser } from './parsers/parsed-reply.js';

export const OUTPUT_PARSERS = [
  'fenced',
  'tool-calls',
  'mlgym-thought-action',
  'thought-action',
  'edit-format',
  'xml-thought-action',
  'action',
  'identity',
  'json',
] as const;
export type OutputParserName = (typeof OUTPUT_PARSERS)[number];

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

const PARSERS: Record<OutputParserName, OutputParser> = {
  fenced,
  'tool-calls': toolCalls,
  'mlgym-thought-action': mlgymThoughtAction,
  'thought-action': thoughtAction,
  'edit-format': editFormat,
  'xml-thought-action': xmlThoughtAction,
  action,
  identity,
  json,
};

const CUT_OFF = '; the reply was cut off at the output limit, so say less';

/** An empty command is a format error, and a truncated reply has its own error. */
export function parserOf(name: OutputParserName): ReplyParser {
  const { parse } = PARSERS[name];
  return (reply, context) => {
    const read = parse(reply, context);
    const parsed = read.kind === 'action' && read.action.trim() === '' ? formatError('the command was empty') : read;
    if (parsed.kind === 'action' || reply.finishReason !== 'length') return parsed;
    return formatError(parsed.problem + CUT_OFF);
  };
}

/** For the model: `expectedFormat` in templates. */
export const expectedFormat = (name: OutputParserName): string => PARSERS[name].expectedFormat;
