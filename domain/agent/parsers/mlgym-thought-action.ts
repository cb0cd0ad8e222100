import { backtickPairs, endsWithinBlock, lastTopLevelBlock } from './fence-lines.js';
import type { OutputParser } from './parsed-reply.js';
import { formatError } from './parsed-reply.js';

/** MLGym's default: one fenced block and no other triple backticks, not even within a line. */
export const mlgymThoughtAction: OutputParser = {
  parse({ text, finishReason }) {
    const pairs = backtickPairs(text);
    if (pairs > 1) {
      return formatError(
        `there were ${pairs} pairs of triple backticks, and one code block is allowed: none within sentences, none in the command`,
      );
    }
    if (finishReason === 'length' && endsWithinBlock(text)) return formatError('the last code block was never closed');
    const block = lastTopLevelBlock(text);
    if (block === null) {
      return formatError(
        'there was no closed code block whose fences stand on lines of their own, with three backticks at the start of the line',
      );
    }
    return { kind: 'action', thought: block.before + block.after, action: block.content };
  },
  expectedFormat:
    'Answer with a discussion and exactly one command in one code block, and use triple backticks nowhere else:\n\nDISCUSSION\nYour reasoning here.\n```\nls -la\n```',
};
