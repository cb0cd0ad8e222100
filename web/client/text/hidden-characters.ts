/**
 * Shows characters that programs see and readers do not (prompt injections, trojan source,
 * invisible tags) as labelled boxes. Pictographs keep their joiners and selectors.
 */
export type Piece = { text: string } | { label: string; says: string };

/** One of these, or a control, needs more than a text node. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uD800-\uDFFF\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB]/;

const NAMES: Readonly<Record<number, string>> = {
  0x00a0: 'NBSP',
  0x00ad: 'SHY',
  0x034f: 'CGJ',
  0x061c: 'ALM',
  0x115f: 'FILLER',
  0x1160: 'FILLER',
  0x1680: 'OGHAM SPACE',
  0x180e: 'MVS',
  0x200b: 'ZWSP',
  0x200c: 'ZWNJ',
  0x200d: 'ZWJ',
  0x200e: 'LRM',
  0x200f: 'RLM',
  0x2028: 'LINE SEP',
  0x2029: 'PARA SEP',
  0x202a: 'LRE',
  0x202b: 'RLE',
  0x202c: 'PDF',
  0x202d: 'LRO',
  0x202e: 'RLO',
  0x202f: 'NNBSP',
  0x205f: 'MMSP',
  0x2060: 'WJ',
  0x2066: 'LRI',
  0x2067: 'RLI',
  0x2068: 'FSI',
  0x2069: 'PDI',
  0x2800: 'BLANK',
  0x3000: 'WIDE SPACE',
  0x3164: 'FILLER',
  0xfeff: 'BOM',
  0xffa0: 'FILLER',
};

const within = (code: number, from: number, to: number): boolean => code >= from && code <= to;
const isTag = (code: number): boolean => within(code, 0xe0000, 0xe007f);
const isPictograph = (character: string | undefined): boolean =>
  character !== undefined && /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F|\u20E3|[#*0-9]/u.test(character);

/** Null: the character is visible. */
function labelOf(code: number): string | null {
  const name = NAMES[code];
  if (name !== undefined) return name;
  if (within(code, 0x80, 0x9f)) return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (within(code, 0x2000, 0x200a)) return 'SPACE';
  if (within(code, 0xfe00, 0xfe0f)) return `VS${code - 0xfdff}`;
  if (within(code, 0xe0100, 0xe01ef)) return `VS${code - 0xe00ef}`;
  if (
    within(code, 0x180b, 0x180f) ||
    within(code, 0x17b4, 0x17b5) ||
    within(code, 0x2061, 0x206f) ||
    within(code, 0xfff0, 0xfffb) ||
    within(code, 0x1bca0, 0x1bca3) ||
    within(code, 0x1d173, 0x1d17a)
  )
    return `U+${code.toString(16).toUpperCase()}`;
  return null;
}

/** `␛` for ESC. */
const picture = (code: number): string => String.fromCharCode(code === 0x7f ? 0x2421 : 0x2400 + code);
const isControl = (code: number): boolean => (code < 0x20 && code !== 9 && code !== 10) || code === 0x7f;

/** More combining marks would grow over the neighbouring lines. */
const MARKS = 4;

const isMark = (code: number, character: string): boolean => code >= 0x300 && /\p{M}/u.test(character);

const NAMED = 3;

function boxOf(run: readonly string[]): Piece {
  const times = new Map<number, number>();
  for (const one of run) times.set(one.codePointAt(0)!, (times.get(one.codePointAt(0)!) ?? 0) + 1);
  const kinds = [...times].map(([code, count]) => ({ code, count, name: labelOf(code)! }));
  const more = kinds.length - NAMED;
  const label = kinds.slice(0, NAMED).map(({ name, count }) => (count === 1 ? name : `${name} ×${count}`));
  const codes = kinds.slice(0, NAMED).map(({ code }) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`);
  return {
    label: `${label.join(' ')}${more > 0 ? ` +${more} kinds` : ''}`,
    says: `${codes.join(', ')}${more > 0 ? ', …' : ''}: ${run.length === 1 ? 'not visible' : `${run.length} characters that are not visible`}`,
  };
}

export interface Revealed {
  pieces: Piece[];
  /** Characters shown as boxes. */
  hidden: number;
  /** Controls shown as pictures. */
  controls: number;
}

/** Pieces for text nodes and boxes. Never fails, in linear time. */
export function reveal(source: string): Revealed {
  if (!HIDDEN.test(source) && !/\p{M}{5}/u.test(source))
    return { pieces: source === '' ? [] : [{ text: source }], hidden: 0, controls: 0 };
  const pieces: Piece[] = [];
  let plain = '';
  let hidden = 0;
  let controls = 0;
  let marks = 0;
  let previous: string | undefined;
  const flush = (): void => {
    if (plain !== '') pieces.push({ text: plain });
    plain = '';
  };
  const characters = source[Symbol.iterator]();
  let next = characters.next();
  const take = (same: (character: string) => boolean): string[] => {
    const taken: string[] = [];
    while (next.done !== true && same(next.value)) {
      taken.push(next.value);
      next = characters.next();
    }
    return taken;
  };
  while (next.done !== true) {
    const character = next.value;
    const code = character.codePointAt(0)!;
    if (within(code, 0xd800, 0xdfff)) {
      plain += '\uFFFD';
      next = characters.next();
    } else if (isControl(code)) {
      controls++;
      plain += picture(code);
      next = characters.next();
    } else if (isTag(code)) {
      const tags = take((one) => isTag(one.codePointAt(0)!));
      const said = tags.map((one) => one.codePointAt(0)! - 0xe0000);
      hidden += tags.length;
      flush();
      const words = said.map((letter) => (within(letter, 0x20, 0x7e) ? String.fromCharCode(letter) : '·')).join('');
      pieces.push({ label: `TAGS “${words}”`, says: `${tags.length} invisible tag characters` });
    } else if ((code === 0xfe0f || code === 0xfe0e || code === 0x200d) && isPictograph(previous)) {
      plain += character;
      next = characters.next();
    } else {
      const label = labelOf(code);
      if (label !== null) {
        const run = take((one) => labelOf(one.codePointAt(0)!) !== null);
        hidden += run.length;
        flush();
        pieces.push(boxOf(run));
      } else if (isMark(code, character)) {
        marks++;
        if (marks <= MARKS) {
          plain += character;
          next = characters.next();
        } else {
          const { length } = take((one) => isMark(one.codePointAt(0)!, one) && labelOf(one.codePointAt(0)!) === null);
          hidden += length;
          flush();
          pieces.push({ label: `MARKS ×${length}`, says: `${length} more marks on one character` });
        }
        previous = character;
        continue;
      } else {
        plain += character;
        next = characters.next();
      }
    }
    marks = 0;
    previous = character;
  }
  flush();
  return { pieces, hidden, controls };
}
