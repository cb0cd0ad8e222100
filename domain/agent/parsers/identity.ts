import { formatError, type OutputParser } from './parsed-reply.js';

export const identity: OutputParser = {
  // Nothing marks a command's end: one that was cut must not run.
  parse: ({ text, finishReason }) =>
    finishReason === 'length' ? formatError('the command has no end') : { kind: 'action', thought: text, action: text },
  expectedFormat: 'Answer with one shell command and nothing else.',
};
