import type { OutputParser } from './parsed-reply.js';
import { lastBlock } from './thought-action.js';

/** As `thought-action`, but the block replaces the window of an editor. */
export const editFormat: OutputParser = {
  parse: lastBlock('there was no closed code block with the text that replaces the window'),
  expectedFormat:
    'Answer with your reasoning and then, in one code block, the whole text that replaces the window:\n\nYour reasoning here.\n```\nimport os\nprint(os.getcwd())\n```',
};
