import type { OutputParser } from './parsed-reply.js';
import { formatError } from './parsed-reply.js';

/** The whole reply is one special command: no thought, no other shell command. */
export const action: OutputParser = {
  parse({ text, finishReason }, { commands }) {
    const names = commands.map((command) => command.name);
    const [first = ''] = text.trim().split(/\s+/);
    if (!names.includes(first)) {
      return formatError(
        `the reply must begin with one of the commands ${names.join(', ')}, and it began with ${JSON.stringify(first.slice(0, 40))}`,
      );
    }
    // Nothing marks its end: one that was cut must not run.
    if (finishReason === 'length') return formatError('the command has no end');
    return { kind: 'action', thought: text, action: text };
  },
  expectedFormat: 'Answer with one of the commands and its arguments, and nothing else.',
};

export const identity: OutputParser = {
  // Nothing marks a command's end: one that was cut must not run.
  parse: ({ text, finishReason }) =>
    finishReason === 'length' ? formatError('the command has no end') : { kind: 'action', thought: text, action: text },
  expectedFormat: 'Answer with one shell command and nothing else.',
};
