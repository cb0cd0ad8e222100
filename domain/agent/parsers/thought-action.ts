import { endsWithinBlock, lastTopLevelBlock } from './fence-lines.js';
import type { OutputParser, ReplyParser } from './parsed-reply.js';
import { formatError } from './parsed-reply.js';

/** The last fenced block is the command, with any tagged blocks in it. */
const lastBlock =
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

/** As `thought-action`, but the block replaces the window of an editor. */
export const editFormat: OutputParser = {
  parse: lastBlock('there was no closed code block with the text that replaces the window'),
  expectedFormat:
    'Answer with your reasoning and then, in one code block, the whole text that replaces the window:\n\nYour reasoning here.\n```\nimport os\nprint(os.getcwd())\n```',
};
