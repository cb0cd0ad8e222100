import { actionOfBlock } from '../foreign-block.js';
import type { OutputParser, ParsedReply, ParserContext } from './parsed-reply.js';
import { formatError } from './parsed-reply.js';

const OPENING = /^(`{3,})([^\s`]*)[ \t]*$/;

/**
 * Exactly one fenced block is the command; text around it is the thought. Fences are at column 0; a
 * longer fence may contain shorter ones (so a command can write Markdown). A block in a language
 * that no shell reads keeps its fences.
 */
export function parseFencedReply(reply: string, commands: ParserContext['commands'] = []): ParsedReply {
  const lines = reply.replaceAll('\r\n', '\n').split('\n');
  const blocks: string[][] = [];
  const thought: string[] = [];
  let fence: string | null = null;
  let first = { fence: '', language: '' };
  for (const line of lines) {
    if (fence === null) {
      const opening = OPENING.exec(line);
      if (opening?.[1] !== undefined) {
        fence = opening[1];
        if (blocks.length === 0) first = { fence, language: opening[2] ?? '' };
        blocks.push([]);
      } else thought.push(line);
    } else if (line.trimEnd() === fence) fence = null;
    else blocks.at(-1)?.push(line);
  }
  const [block, ...others] = blocks;
  if (block === undefined) return formatError('there was no fenced code block with a command');
  if (fence !== null) return formatError('the fenced code block was never closed');
  if (others.length > 0) return formatError(`there were ${blocks.length} fenced code blocks, one command is allowed`);
  const text = block.join('\n');
  if (text.trim() === '') return formatError('the fenced code block was empty');
  return { kind: 'action', thought: thought.join('\n').trim(), action: actionOfBlock({ ...first, text }, commands) };
}

export const fenced: OutputParser = {
  parse: (reply, { commands }) => parseFencedReply(reply.text, commands),
  expectedFormat:
    'Answer with your reasoning first and then exactly one fenced code block that holds one command:\n\nYour reasoning here.\n```\nls -la\n```',
};
