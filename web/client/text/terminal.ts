import { PLAIN, select } from './style-bits.js';

interface Row {
  spans: { text: string; style: number }[];
  /** It continues the row above, which was full. */
  wrapped: boolean;
}

export interface Screen {
  rows: Row[];
  /** Rewrites of a row: steps of a progress bar, of which the last is shown. */
  folded: number;
  /** Sequences for a terminal alone: titles, links, clipboard, queries, addressing. */
  dropped: number;
  /** Characters beyond the rows that are kept. */
  left: number;
}

export const COLUMNS = 1_000;
export const ROWS = 20_000;

const ESC = '\u001B';
// eslint-disable-next-line no-control-regex -- these are what a terminal obeys
const OBEYED = /[\u001B\u0008\r\u009B\u009D\u0090\u009F]/;

export interface Limits {
  columns: number;
  rows: number;
}

/** Applies cursor moves within the block, and colours. Never fails, in linear time. */
export function terminal(source: string, limits: Limits = { columns: COLUMNS, rows: ROWS }): Screen {
  return OBEYED.test(source.replaceAll('\r\n', '\n')) ? new Grid(limits).play(source) : rowsOf(source, limits);
}

/** Each character as it is; full rows wrap. */
export function rowsOf(source: string, { columns, rows: most }: Limits): Screen {
  const rows: Row[] = [];
  let at = 0;
  while (at <= source.length) {
    if (rows.length === most) return { rows, folded: 0, dropped: 0, left: source.length - at };
    const found = source.indexOf('\n', at);
    const newline = found === -1 ? source.length : found;
    const end = newline > at && source[newline - 1] === '\r' ? newline - 1 : newline;
    for (let from = at; ; from += columns) {
      // Keep surrogate pairs together.
      const low = source.charCodeAt(from);
      const start = from > at && low >= 0xdc00 && low <= 0xdfff ? from + 1 : from;
      const high = source.charCodeAt(from + columns);
      const stop = Math.min(end, high >= 0xdc00 && high <= 0xdfff ? from + columns + 1 : from + columns);
      const text = source.slice(start, stop);
      rows.push({ spans: text === '' ? [] : [{ text, style: PLAIN }], wrapped: from > at });
      if (stop >= end) break;
      if (rows.length === most) return { rows, folded: 0, dropped: 0, left: source.length - stop };
    }
    at = newline + 1;
  }
  return { rows, folded: 0, dropped: 0, left: 0 };
}

interface Line {
  characters: string[];
  styles: number[];
  wrapped: boolean;
}

class Grid {
  private readonly lines: Line[] = [{ characters: [], styles: [], wrapped: false }];
  private row = 0;
  private column = 0;
  private style = PLAIN;
  private folded = 0;
  private dropped = 0;
  /** The cursor went back, and nothing was written since. */
  private back = false;
  private full = false;

  constructor(private readonly limits: Limits) {}

  play(source: string): Screen {
    let at = 0;
    while (at < source.length && !this.full) {
      const character = source[at]!;
      if (character === '\n') {
        this.newline();
        at++;
      } else if (character === '\r') {
        if (source[at + 1] !== '\n' && this.column > 0) this.back = true;
        if (source[at + 1] !== '\n') this.column = 0;
        at++;
      } else if (character === '\b') {
        this.column = Math.max(0, this.column - 1);
        at++;
      } else if (character === '\t') {
        const to = Math.min(this.limits.columns, (Math.floor(this.column / 8) + 1) * 8);
        do this.write(' ');
        while (this.column < to && !this.full);
        at++;
      } else if (
        character === ESC ||
        character === '\u009B' ||
        character === '\u009D' ||
        character === '\u0090' ||
        character === '\u009F'
      )
        at = this.sequence(source, at);
      else {
        const whole = String.fromCodePoint(source.codePointAt(at)!);
        this.write(whole);
        at += whole.length;
      }
    }
    return {
      rows: this.lines.map(({ characters, styles, wrapped }) => ({ spans: spansOf(characters, styles), wrapped })),
      folded: this.folded,
      dropped: this.dropped,
      left: source.length - at,
    };
  }

  private line(): Line {
    return this.lines[this.row]!;
  }

  private newline(wrapped = false): void {
    if (this.row + 1 >= this.limits.rows) {
      this.full = true;
      return;
    }
    this.row++;
    this.column = 0;
    this.back = false;
    if (this.row === this.lines.length) this.lines.push({ characters: [], styles: [], wrapped });
  }

  private write(character: string): void {
    if (this.column >= this.limits.columns) {
      this.newline(true);
      if (this.full) return;
    }
    const { characters, styles } = this.line();
    if (this.back) {
      if (characters.length > this.column) this.folded++;
      this.back = false;
    }
    while (characters.length < this.column) {
      characters.push(' ');
      styles.push(PLAIN);
    }
    characters[this.column] = character;
    styles[this.column] = this.style;
    this.column++;
  }

  /** Position after the sequence at `at`. An unfinished one stays text, as it might never end. */
  private sequence(source: string, at: number): number {
    const c1 = source[at] !== ESC;
    const kind = c1 ? String.fromCharCode(source.charCodeAt(at) - 0x40) : source[at + 1];
    const from = at + (c1 ? 1 : 2);
    if (kind === '[') return this.control(source, at, from);
    if (kind === ']' || kind === 'P' || kind === '_' || kind === '^' || kind === 'X') {
      for (let end = from; end < source.length; end++) {
        const character = source[end];
        if (character === '\u0007' || character === '\u009C') return this.drop(end + 1);
        if (character === ESC && source[end + 1] === '\\') return this.drop(end + 2);
        // A sequence neither crosses lines nor contains another.
        if (character === '\n' || character === ESC) break;
      }
      return this.literal(source, at);
    }
    // ESC ( B and the like choose a character set; ESC and one of 0–~ is a whole sequence.
    if (kind !== undefined && '()*+'.includes(kind) && from < source.length) return this.drop(from + 1);
    if (kind !== undefined && /[0-~]/.test(kind)) return this.drop(from);
    return this.literal(source, at);
  }

  private literal(source: string, at: number): number {
    this.write(source[at]!);
    return at + 1;
  }

  private drop(to: number): number {
    this.dropped++;
    return to;
  }

  private control(source: string, at: number, from: number): number {
    let end = from;
    // Parameters are short; longer ones are text.
    while (end < source.length && end - from < 64 && source[end]! >= ' ' && source[end]! <= '?') end++;
    const final = source[end];
    if (final === undefined || final < '@' || final > '~') return this.literal(source, at);
    const given = source.slice(from, end);
    if (!/^[0-9;:]*$/.test(given)) return this.drop(end + 1);
    const parameters = given.split(/[;:]/).map((one) => (one === '' ? 0 : Number(one.slice(0, 6))));
    const amount = Math.max(1, parameters[0] ?? 1);
    const line = this.line();
    switch (final) {
      case 'm':
        this.style = select(this.style, parameters);
        break;
      case 'A':
      case 'F':
        this.row = Math.max(0, this.row - amount);
        if (final === 'F') this.column = 0;
        this.back = true;
        break;
      case 'B':
      case 'E':
        this.row = Math.min(this.lines.length - 1, this.row + amount);
        if (final === 'E') this.column = 0;
        break;
      case 'C':
        this.column = Math.min(this.limits.columns - 1, this.column + amount);
        break;
      case 'D':
        this.column = Math.max(0, this.column - amount);
        break;
      case 'G':
        this.column = Math.min(this.limits.columns, amount) - 1;
        break;
      case 'K': {
        const mode = parameters[0] ?? 0;
        if (mode === 1)
          for (let i = 0; i < Math.min(this.column + 1, line.characters.length); i++) line.characters[i] = ' ';
        else {
          const keep = mode === 2 ? 0 : this.column;
          if (this.back && line.characters.length > keep) this.folded++;
          this.back = false;
          line.characters.length = Math.min(line.characters.length, keep);
          line.styles.length = Math.min(line.styles.length, keep);
        }
        break;
      }
      // Ignored, as clearing or addressing the screen would remove earlier output.
      default:
        this.dropped++;
    }
    return end + 1;
  }
}

function spansOf(characters: readonly string[], styles: readonly number[]): Row['spans'] {
  let end = characters.length;
  while (end > 0 && characters[end - 1] === ' ' && (styles[end - 1] ?? PLAIN) === PLAIN) end--;
  const spans: Row['spans'] = [];
  for (let i = 0; i < end;) {
    const style = styles[i] ?? PLAIN;
    let to = i + 1;
    while (to < end && (styles[to] ?? PLAIN) === style) to++;
    spans.push({ text: characters.slice(i, to).join(''), style });
    i = to;
  }
  return spans;
}
