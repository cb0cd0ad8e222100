import type { Colors } from 'picocolors/types.js';
import type { PromptDocument, PromptTurn } from '../../domain/views/prompt.js';
import { printable } from '../terminal-text.js';

type Message = PromptDocument['messages'][number];

function messageText({ role, content, toolCalls = [] }: Message, colors: Colors): string {
  const calls = toolCalls.map(({ name, arguments: given }) => colors.cyan(`→ ${printable(name)} ${printable(given)}`));
  return [colors.bold(`── ${role} ──`), ...(content === '' ? [] : [printable(content).trimEnd()]), ...calls].join('\n');
}

const PROOF: Record<PromptTurn['proof'], string> = {
  equal: 'equal to what was sent',
  different: 'NOT what was sent: another version of bench rendered it, or the record was changed',
  none: 'not compared: no call is stored',
};

const turnName = ({ try: at }: PromptTurn): string => (at === 0 ? 'question' : `requery ${at}`);

export function renderPrompt({ source, messages, tools, turns }: PromptDocument, colors: Colors): string {
  const parts = messages.map((message) => messageText(message, colors));
  for (const turn of turns.slice(1))
    parts.push(colors.dim(`(${turnName(turn)})`), ...turn.added.map((message) => messageText(message, colors)));
  if (tools !== null) parts.push(colors.dim(`tools: ${tools.map(({ name }) => name).join(', ')}`));
  for (const turn of turns) {
    const line = `${turnName(turn)}: ${turn.hash.slice(0, 12)}, ${source === 'rendered' ? PROOF[turn.proof] : source}`;
    parts.push(turn.proof === 'different' ? colors.red(line) : colors.dim(line));
  }
  return parts.join('\n\n');
}
