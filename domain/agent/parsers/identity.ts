import type { OutputParser } from './parsed-reply.js';

/** The whole reply is the command. */
export const identity: OutputParser = {
  parse: ({ text }) => ({ kind: 'action', thought: text, action: text }),
  expectedFormat: 'Answer with one shell command and nothing else.',
};
