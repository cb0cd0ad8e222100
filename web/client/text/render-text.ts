import { reveal, type Piece } from './hidden-characters.js';
import { classesOf } from './style-bits.js';
import { COLUMNS, ROWS, rowsOf, terminal } from './terminal.js';

export interface RenderedLine {
  pieces: (Piece & { className: string })[];
  /** It goes on from the line above. */
  wrapped: boolean;
}

export interface Rendered {
  lines: RenderedLine[];
  /** Earlier states of progress bars. */
  folded: number;
  /** Sequences for a terminal alone. */
  dropped: number;
  /** Hidden characters, shown as boxes. */
  hidden: number;
  /** Controls, shown as pictures. */
  controls: number;
  /** Characters beyond the lines that are kept. */
  left: number;
}

/** `output`: what a terminal would show; `text`: every character as it is. */
export type TextKind = 'output' | 'text';

/** What an agent or a stranger wrote, as pieces for text nodes: the one way by which it comes onto the page. */
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
  // What ends in a newline has no line after it.
  if (lines.length > 1 && lines.at(-1)!.pieces.length === 0) lines.pop();
  const { folded, dropped, left } = screen;
  return { lines, folded, dropped, left, ...facts };
}
