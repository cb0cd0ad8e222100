/** Why no HTTP header can hold a key: curly quotes, a line break inside. Null: one can. */
export function headerProblem(value: string): string | null {
  const characters = [...value];
  const at = characters.findIndex((character) => /[^\t\x20-\x7e\x80-\xff]/u.test(character));
  if (at < 0) return null;
  const code = characters[at]?.codePointAt(0) ?? 0;
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const control = code === 0x0a ? 'a line break' : 'a control character';
  const shown = code < 0x20 || code === 0x7f ? control : characters[at];
  return `has ${shown} (${number}) as character ${at + 1}, which no HTTP header can hold`;
}
