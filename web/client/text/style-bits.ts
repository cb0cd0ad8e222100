/** Foreground and background (0: the page's, 1–16: the terminal's), then flags, in one number. */
export const PLAIN = 0;
const FOREGROUND = 0;
const BACKGROUND = 5;
const FLAGS = { bold: 1 << 10, dim: 1 << 11, italic: 1 << 12, underline: 1 << 13, inverse: 1 << 14, strike: 1 << 15 };

type Flag = keyof typeof FLAGS;

const withColor = (style: number, shift: number, color: number): number => (style & ~(31 << shift)) | (color << shift);
const withFlag = (style: number, flag: Flag, on: boolean): number => (on ? style | FLAGS[flag] : style & ~FLAGS[flag]);

const ON: Readonly<Record<number, Flag>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  9: 'strike',
};
const OFF: Readonly<Record<number, readonly Flag[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['strike'],
};

/** Of the sixteen colours, 1–16, whose look the scheme keeps readable. */
function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most < 48) return 1;
  if (Math.max(red, green, blue) - Math.min(red, green, blue) < 32) return most > 200 ? 16 : most > 110 ? 8 : 9;
  const half = most * 0.6;
  const index = (red > half ? 1 : 0) | (green > half ? 2 : 0) | (blue > half ? 4 : 0);
  return index + 1 + (most > 200 ? 8 : 0);
}

function colorOf256(index: number): number {
  if (index < 16) return index + 1;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return nearest(grey, grey, grey);
  }
  const level = (one: number): number => (one === 0 ? 0 : 55 + one * 40);
  const cube = index - 16;
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/** Applies `ESC [ … m`. Ignores hiding of text (8). */
export function select(style: number, parameters: readonly number[]): number {
  let now = style;
  for (let i = 0; i < parameters.length; i++) {
    const code = parameters[i]!;
    const flag = ON[code];
    const off = OFF[code];
    if (code === 0) now = PLAIN;
    else if (flag !== undefined) now = withFlag(now, flag, true);
    else if (off !== undefined) for (const one of off) now = withFlag(now, one, false);
    else if (code >= 30 && code <= 37) now = withColor(now, FOREGROUND, code - 29);
    else if (code >= 90 && code <= 97) now = withColor(now, FOREGROUND, code - 81);
    else if (code === 39) now = withColor(now, FOREGROUND, 0);
    else if (code >= 40 && code <= 47) now = withColor(now, BACKGROUND, code - 39);
    else if (code >= 100 && code <= 107) now = withColor(now, BACKGROUND, code - 91);
    else if (code === 49) now = withColor(now, BACKGROUND, 0);
    else if (code === 38 || code === 48) {
      const shift = code === 38 ? FOREGROUND : BACKGROUND;
      const byte = (at: number): number => Math.min(255, parameters[at] ?? 0);
      if (parameters[i + 1] === 5) {
        now = withColor(now, shift, colorOf256(byte(i + 2)));
        i += 2;
      } else if (parameters[i + 1] === 2) {
        now = withColor(now, shift, nearest(byte(i + 2), byte(i + 3), byte(i + 4)));
        i += 4;
      }
    }
  }
  return now;
}

/** `a-bold a-f2`; empty for a plain cell. Text in its background's colour stays readable. */
export function classesOf(style: number): string {
  if (style === PLAIN) return '';
  const classes = (Object.keys(FLAGS) as Flag[])
    .filter((flag) => (style & FLAGS[flag]) !== 0)
    .map((flag) => `a-${flag}`);
  const foreground = style & 31;
  const background = (style >> BACKGROUND) & 31;
  if (foreground > 0) classes.push(`a-f${foreground - 1}`);
  if (background > 0 && background !== foreground) classes.push(`a-b${background - 1}`);
  return classes.join(' ');
}
