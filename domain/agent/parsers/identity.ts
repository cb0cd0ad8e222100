import type { OutputParser } from './parsed-reply.js';

export const identity: OutputParser = {
  parse: ({ text }) => ({ kind: 'action', thought: text, action: text }),
  expectedFormat: 'Answer with one shell command and nothing else.',
};
