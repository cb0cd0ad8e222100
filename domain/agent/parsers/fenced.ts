import type { OutputParser, ParsedReply } from './parsed-reply.js';
import { formatError } from './parsed-reply.js';

const OPENING = /^(`{3,})[^\s`]*[ \t]*$/;

/**
 * Exactly one fenced block is the command; text around it is the thought. Fences are at column 0; a
 * longer fence may contain shorter ones (so a command can write Markdown).
 */
export function parseFencedReply(reply: string): ParsedReply {
  const lines = reply.replaceAll('\r\n', '\n').split('\n');
  const blocks: string[][] = [];
  const thought: string[] = [];
  let fence: string | null = null;
  for (const line of lines) {
    if (fence === null) {
      const opening = OPENING.exec(line);
      if (opening?.[1] !== undefined) {
        fence = opening[1];
        blocks.push([]);
      } else thought.push(line);
    } else if (line.trimEnd() === fence) fence = null;
    else blocks.at(-1)?.push(line);
  }
  const [block, ...others] = blocks;
  if (block === undefined) return formatError('there was no fenced code block with a command');
  if (fence !== null) return formatError('the fenced code block was never closed');
  if (others.length > 0) return formatError(`there were ${blocks.length} fenced code blocks, one command is allowed`);
  const action = block.join('\n');
  if (action.trim() === '') return formatError('the fenced code block was empty');
  return { kind: 'action', thought: thought.join('\n').trim(), action };
}

export const fenced: OutputParser = {
  parse: (reply) => parseFencedReply(reply.text),
  expectedFormat:
    'Answer with your reasoning first and then exactly one fenced code block that holds one command:\n\nYour reasoning here.\n```\nls -la\n```',
};
