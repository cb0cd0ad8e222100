import type { OutputParser } from './parsed-reply.js';
import { lastBlock } from './thought-action.js';

/** Reads like `thought-action`; the block is text that replaces the window of an editor, and so says the error. */
export const editFormat: OutputParser = {
  parse: lastBlock('there was no closed code block with the text that replaces the window'),
  expectedFormat:
    'Answer with your reasoning and then, in one code block, the whole text that replaces the window:\n\nYour reasoning here.\n```\nimport os\nprint(os.getcwd())\n```',
};
