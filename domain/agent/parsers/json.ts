import { argumentText, commandLine, unusableText } from '../command-line.js';
import type { OutputParser } from './parsed-reply.js';
import { formatError } from './parsed-reply.js';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `{"thought", "command": {"name", "arguments"?}}`; an unknown command is name and values. */
export const json: OutputParser = {
  parse({ text }, { commands }) {
    let reply: unknown;
    try {
      reply = JSON.parse(text);
    } catch {
      return formatError('the reply was not valid JSON; it must be one JSON object without a code block around it');
    }
    if (!isObject(reply)) return formatError('the reply was JSON, but not an object');
    const { thought, command } = reply;
    if (typeof thought !== 'string') return formatError('"thought" was missing or not a text');
    if (!isObject(command)) return formatError('"command" was missing or not an object');
    const { name } = command;
    const given = command.arguments ?? {};
    if (typeof name !== 'string' || name.trim() === '') return formatError('"command.name" was missing or not a text');
    if (!isObject(given)) return formatError('"command.arguments" was not an object');
    const known = commands.find((candidate) => candidate.name === name);
    const unusable = known === undefined ? null : unusableText(known, given);
    if (unusable !== null) return formatError(unusable);
    const action =
      known === undefined
        ? [name, ...Object.values(given).map(argumentText)].join(' ').trim()
        : commandLine(known, given);
    return { kind: 'action', thought, action };
  },
  expectedFormat:
    'Answer with one JSON object and nothing around it:\n\n{"thought": "Your reasoning here.", "command": {"name": "ls", "arguments": {"options": "-la"}}}',
};
