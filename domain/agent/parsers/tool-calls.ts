import type { ToolCall } from '../../model/model.js';
import { commandLine, unusableText } from '../command-line.js';
import { BASH_TOOL } from '../commands.js';
import { joinedCalls, MOST_CALLS } from '../step-text.js';
import { mcpAction } from '../mcp.js';
import { type OutputParser, type ParsedReply, type ParserContext, formatError } from './parsed-reply.js';

/** Some providers send nothing for a tool without parameters. */
export function callArguments(call: ToolCall): Record<string, unknown> | null {
  if (call.arguments.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(call.arguments);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const notJson = ({ name }: ToolCall): string => `the arguments of the call of ${name} were not a JSON object`;

/** As in the text parsers, so that equivalent replies give equal records. */
const unix = (text: string): string => text.replaceAll('\r\n', '\n');

function actionOf(call: ToolCall, { commands, mcp = [] }: ParserContext): { action: string } | { problem: string } {
  const ofServer = mcpAction(call.name, callArguments(call) ?? {}, mcp);
  if (ofServer !== null) return callArguments(call) === null ? { problem: notJson(call) } : { action: ofServer };
  const command = commands.find((candidate) => candidate.name === call.name);
  if (call.name !== BASH_TOOL && command === undefined) {
    const names = [...commands.map((known) => known.name), ...mcp.map((server) => `${server}__…`)];
    const tools = [BASH_TOOL, ...names].join(', ');
    return { problem: `there is no tool ${JSON.stringify(call.name.slice(0, 64))}; the tools are ${tools}` };
  }
  const given = callArguments(call);
  if (given === null) return { problem: notJson(call) };
  if (command === undefined) {
    if (typeof given.command !== 'string') {
      return { problem: `the call of ${BASH_TOOL} needs "command", a text with the command to run` };
    }
    if (given.command.trim() === '') return { problem: `the "command" of the call of ${BASH_TOOL} was empty` };
    return { action: unix(given.command) };
  }
  const missing = command.arguments.filter(({ name, required }) => required && given[name] == null);
  if (missing.length > 0) {
    return { problem: `the call of ${call.name} needs ${missing.map(({ name }) => `"${name}"`).join(', ')}` };
  }
  const unusable = unusableText(command, given);
  if (unusable !== null) return { problem: unusable };
  return { action: unix(commandLine(command, given)) };
}

function parseToolCalls(text: string, calls: readonly ToolCall[], context: ParserContext): ParsedReply {
  const [call, ...others] = calls;
  if (call === undefined) return formatError('the reply called no tool');
  if (others.length > 0) return formatError(`the reply called ${calls.length} tools, and one call is allowed`);
  const read = actionOf(call, context);
  if ('problem' in read) return formatError(read.problem);
  return { kind: 'action', thought: unix(text).trim(), action: read.action };
}

/** Exactly one call, of bash or a special command. Unknown arguments are ignored. */
export const toolCalls: OutputParser = {
  parse: (reply, context) => parseToolCalls(reply.text, reply.toolCalls ?? [], context),
  expectedFormat: `Answer with your reasoning and exactly one tool call, for example ${BASH_TOOL} with {"command": "ls -la"}.`,
};

/** Commands in the order of their calls. One that is unusable refuses the reply: nothing runs. */
function parseSeveralCalls(text: string, calls: readonly ToolCall[], context: ParserContext): ParsedReply {
  if (calls.length === 0) return formatError('the reply called no tool');
  if (calls.length > MOST_CALLS)
    return formatError(`the reply called ${calls.length} tools, and at most ${MOST_CALLS} calls are allowed`);
  const actions: string[] = [];
  for (const [at, call] of calls.entries()) {
    const read = actionOf(call, context);
    const which = calls.length === 1 ? '' : `call ${at + 1} of ${calls.length}: `;
    if ('problem' in read) return formatError(`${which}${read.problem}`);
    if (read.action.trim() === '') return formatError(`${which}the command was empty`);
    actions.push(read.action);
  }
  const action = joinedCalls(actions);
  if (action === null)
    return formatError('a command holds a line that bench uses itself, as "# call 2 of 2": change that line');
  return { kind: 'action', thought: unix(text).trim(), action };
}

/** One call or several, which run in order as one step. */
export const severalToolCalls: OutputParser = {
  parse: (reply, context) => parseSeveralCalls(reply.text, reply.toolCalls ?? [], context),
  expectedFormat: `Answer with at least one tool call, for example ${BASH_TOOL} with {"command": "ls -la"}.`,
};
