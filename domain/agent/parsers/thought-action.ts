import { endsWithinBlock, lastTopLevelBlock } from './fence-lines.js';
import type { OutputParser, ReplyParser } from './parsed-reply.js';
import { formatError } from './parsed-reply.js';

/** The last fenced block is the command, with any tagged blocks in it. */
export const lastBlock =
  (missing: string): ReplyParser =>
  ({ text, finishReason }) => {
    if (finishReason === 'length' && endsWithinBlock(text)) return formatError('the last code block was never closed');
    const block = lastTopLevelBlock(text);
    if (block === null) return formatError(missing);
    return { kind: 'action', thought: block.before + block.after, action: block.content };
  };

export const thoughtAction: OutputParser = {
  parse: lastBlock('there was no closed code block with a command'),
  expectedFormat:
    'Answer with your reasoning and then one command in a code block; the last block counts:\n\nYour reasoning here.\n```\nls -la\n```',
};
