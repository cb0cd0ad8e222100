import { reveal, type Piece } from './hidden-characters.js';
import { classesOf } from './style-bits.js';
import { COLUMNS, ROWS, rowsOf, terminal } from './terminal.js';

export interface RenderedLine {
  pieces: (Piece & { className: string })[];
  /** It continues the line above. */
  wrapped: boolean;
}

export interface Rendered {
  lines: RenderedLine[];
  /** Earlier states of progress bars. */
  folded: number;
  /** Sequences for a terminal alone. */
  dropped: number;
  hidden: number;
  controls: number;
  /** Characters beyond the lines that are kept. */
  left: number;
}

/** `output`: as in a terminal; `text`: every character as it is. */
export type TextKind = 'output' | 'text';

/** The only way of foreign text onto the page: pieces for text nodes. */
export function renderText(source: string, kind: TextKind, rows = ROWS): Rendered {
  const limits = { columns: COLUMNS, rows };
  const screen = kind === 'output' ? terminal(source, limits) : rowsOf(source, limits);
  const facts = { hidden: 0, controls: 0 };
  const lines = screen.rows.map(({ spans, wrapped }): RenderedLine => ({
    wrapped,
    pieces: spans.flatMap(({ text, style }) => {
      const revealed = reveal(text);
      facts.hidden += revealed.hidden;
      facts.controls += revealed.controls;
      const className = classesOf(style);
      return revealed.pieces.map((piece) => ({ ...piece, className }));
    }),
  }));
  // A final newline begins no line.
  if (lines.length > 1 && lines.at(-1)!.pieces.length === 0) lines.pop();
  const { folded, dropped, left } = screen;
  return { lines, folded, dropped, left, ...facts };
}
