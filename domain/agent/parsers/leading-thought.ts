const OPENING = /^\s*<think>/i;
const CLOSING = /<\/think>/i;

/**
 * Servers without a parser for reasoning leave it at the text's beginning. `thought`: with its
 * tags; empty: none. `rest`: null: the thought never ends.
 */
export function leadingThought(text: string): { thought: string; rest: string | null } {
  if (!OPENING.test(text)) return { thought: '', rest: text };
  const closing = CLOSING.exec(text);
  if (closing === null) return { thought: text, rest: null };
  const end = closing.index + closing[0].length;
  return { thought: text.slice(0, end), rest: text.slice(end).replace(/^(?:[ \t]*\r?\n)+/, '') };
}

/** What stands around the command, after such a thought. */
export const afterThought = (thought: string, rest: string): string =>
  thought === '' ? rest : rest.trim() === '' ? thought.trim() : `${thought.trim()}\n\n${rest}`;
