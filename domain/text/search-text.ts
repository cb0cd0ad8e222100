/** As typed. Imports nothing. */
export type SoughtText =
  | { kind: 'plain'; text: string }
  | { kind: 'exact'; text: string }
  | { kind: 'pattern'; text: string; anyCase: boolean };

/** A to Z only: the case of other letters depends on the language. */
const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** `"exact"`, `/pattern/`, `/pattern/i`; else plain text without letter case. */
export function readSought(typed: string): SoughtText {
  const exact = /^"(.+)"$/s.exec(typed)?.[1];
  if (exact !== undefined) return { kind: 'exact', text: exact };
  const [, pattern, flags] = /^\/(.+)\/(i?)$/s.exec(typed) ?? [];
  if (pattern !== undefined) return { kind: 'pattern', text: pattern, anyCase: flags === 'i' };
  return { kind: 'plain', text: lowerAscii(typed) };
}
