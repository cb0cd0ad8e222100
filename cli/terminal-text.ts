import { randomInt } from 'node:crypto';
import pc from 'picocolors';
import type { Colors } from 'picocolors/types.js';
import stringWidth from 'string-width';

/**
 * Names, replies and files may contain sequences that drive a terminal. Ours have a mark that no
 * text can guess: output removes the mark, and shows unmarked ones as `\x1b`.
 */
const MARK = Array.from({ length: 3 }, () => String(randomInt(1000, 10_000))).join(';');
const OWN = `\\u001b\\[(\\??\\d*);${MARK}([A-Za-z])`;
// C0 without tab and line feed, DEL, C1, and characters that change direction or end a line.
const UNSAFE = '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]';
const OWN_OR_UNSAFE = new RegExp(`${OWN}|${UNSAFE}`, 'g');
const ALL_OWN = new RegExp(OWN, 'g');

const codeOf = (char: string): string => {
  const code = char.charCodeAt(0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
};

/** A sequence of ours: `control('A', 3)` goes up three lines. */
export const control = (final: string, parameter: number | string = ''): string =>
  `\u001b[${parameter};${MARK}${final}`;

/** Shows control characters as `\x1b` and those of direction as `\u202e`; our colours stay. */
export const printable = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(OWN_OR_UNSAFE, (found) => (found.length === 1 ? codeOf(found) : found));

const withoutMark = (text: string): string => text.replace(ALL_OWN, '\u001b[$1$2');

/** Printable text with our own colours and cursor movements. */
export const forTerminal = (text: string): string => withoutMark(printable(text));

/** The same JSON document, with escapes for what JSON.stringify leaves raw. */
export const jsonForTerminal = (text: string): string =>
  text.replace(new RegExp(UNSAFE, 'g'), (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** picocolors with marked sequences, so that a coloured text cannot contain its own. */
export function createTerminalColors(enabled: boolean): Colors {
  const colors = pc.createColors(enabled);
  if (!enabled) return colors;
  const marked =
    (paint: (text: string) => string) =>
    (text: string | number | null | undefined): string =>
      // oxlint-disable-next-line no-control-regex
      paint(forTerminal(String(text))).replace(/\u001b\[(\d+)m/g, (_, code: string) => control('m', code));
  return Object.fromEntries(
    Object.entries(colors).map(([name, paint]) => [
      name,
      typeof paint === 'function' ? marked(paint as (text: string) => string) : (paint as boolean),
    ]),
  ) as unknown as Colors;
}

const graphemes = new Intl.Segmenter();
const PIECES = new RegExp(`(${OWN.replaceAll(/\((?!\?)/g, '(?:')})`);

/** Cuts a line to columns, with `…` at its end; wide characters take two, our colours none. */
export function cutToWidth(line: string, width: number): string {
  if (stringWidth(line) <= width) return line;
  let left = Math.max(0, width - 1);
  let cut = false;
  return line
    .split(PIECES)
    .map((piece, i) => {
      if (i % 2 === 1) return piece;
      let kept = '';
      for (const { segment } of cut ? [] : graphemes.segment(piece)) {
        const columns = stringWidth(segment);
        if (columns > left) {
          cut = true;
          return width > 0 ? `${kept}…` : kept;
        }
        left -= columns;
        kept += segment;
      }
      return kept;
    })
    .join('');
}
