import type { OutputParser } from './parsed-reply.js';
import { formatError } from './parsed-reply.js';

const OPEN = '<command>';
const CLOSE = '</command>';

/** The last `<command>…</command>` is the command; earlier ones stay in the thought. */
export const xmlThoughtAction: OutputParser = {
  parse({ text }) {
    const opening = text.lastIndexOf(OPEN);
    const closing = text.lastIndexOf(CLOSE);
    if (opening === -1) return formatError(`there was no ${OPEN}`);
    if (closing === -1) return formatError(`the ${OPEN} was never closed with ${CLOSE}`);
    if (closing < opening) return formatError(`the last ${OPEN} was not closed with ${CLOSE} after it`);
    return {
      kind: 'action',
      thought: (text.slice(0, opening) + text.slice(closing + CLOSE.length)).trim(),
      action: text.slice(opening + OPEN.length, closing).trim(),
    };
  },
  expectedFormat: `Answer with your reasoning and then one command in tags:\n\nYour reasoning here.\n${OPEN}\nls -la\n${CLOSE}`,
};
