import { BASH_TOOL } from './commands.js';
import type { ToolCall } from '../model/model.js';
import { commandLine } from './command-line.js';
import { separateCalls } from './step-text.js';
import { type OutputParserName, type ParserContext, type ReplyInput, parserOf } from './parse-reply.js';
import type { DecodedReply } from './reply-encoding.js';
import type { CommandDoc } from './command-line.js';

/** A reply without a model's format, from a policy, a person or a recording. */
export interface Said {
  thought: string;
  action: string;
}

type Encoder = (said: Said, commands: readonly CommandDoc[]) => DecodedReply;

/** At least three backticks, and more than any line of the command begins with. */
function fenceFor(action: string): string {
  const longest = Math.max(0, ...[...action.matchAll(/^`+/gm)].map(([run]) => run.length));
  return '`'.repeat(Math.max(3, longest + 1));
}

const withThought = (thought: string, rest: string): string => (thought === '' ? rest : `${thought}\n\n${rest}`);
/** For parsers that keep the last line end in the command: adds none if there is one. */
const ended = (action: string): string => (action.endsWith('\n') ? action : `${action}\n`);
const threeBackticks: Encoder = ({ thought, action }) => ({
  text: withThought(thought, `\`\`\`\n${ended(action)}\`\`\`\n`),
});

function callOf(action: string, commands: readonly CommandDoc[], number: number): ToolCall {
  const own = commands.find((command) => !needsArguments(command) && commandLine(command, {}) === action.trim());
  const call =
    own === undefined
      ? { name: BASH_TOOL, arguments: JSON.stringify({ command: action }) }
      : { name: own.name, arguments: '{}' };
  return { id: `call_${number}`, ...call };
}

const ENCODERS: Record<OutputParserName, Encoder> = {
  fenced({ thought, action }) {
    const fence = fenceFor(action);
    return { text: withThought(thought, `${fence}\n${action}\n${fence}\n`) };
  },
  'tool-calls': ({ thought, action }, commands) => ({ text: thought, toolCalls: [callOf(action, commands, 1)] }),
  'several-tool-calls': ({ thought, action }, commands) => ({
    text: thought,
    toolCalls: separateCalls(action).map((one, at) => callOf(one, commands, at + 1)),
  }),
  'mlgym-thought-action': threeBackticks,
  'thought-action': threeBackticks,
  'edit-format': threeBackticks,
  'xml-thought-action': ({ thought, action }) => ({ text: withThought(thought, `<command>\n${action}\n</command>\n`) }),
  action: ({ action }) => ({ text: action }),
  identity: ({ action }) => ({ text: action }),
  // Any other name is the shell command itself.
  json: ({ thought, action }) => ({ text: JSON.stringify({ thought, command: { name: action, arguments: {} } }) }),
};

const needsArguments = (command: CommandDoc): boolean => command.arguments.some(({ required }) => required);

/** The shell ignores white space around a command, except an escaped blank at its end. */
const sameCommand = (a: string, b: string): boolean => a === b || (a.trim() === b.trim() && !a.trim().endsWith('\\'));

/** Defuses fences. */
const harmless = (thought: string): string => thought.replace(/`{3,}/g, "'''");

/**
 * A reply from which the parser reads this action, up to white space around it. Keeps the thought
 * if the format has a place for one and the action stays readable; fences in it are defused. Null:
 * the parser cannot express the action.
 */
export function encodeReplyAs(parser: OutputParserName, said: Said, context: ParserContext): DecodedReply | null {
  const reads = (reply: ReplyInput): boolean => {
    const parsed = parserOf(parser)(reply, context);
    return parsed.kind === 'action' && sameCommand(parsed.action, said.action);
  };
  const encode = (thought: string): DecodedReply =>
    ENCODERS[parser]({ thought: thought.trim(), action: said.action }, context.commands);
  return [said.thought, harmless(said.thought), ''].map(encode).find(reads) ?? null;
}
