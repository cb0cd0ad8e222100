import type { Colors } from 'picocolors/types.js';
import stringWidth from 'string-width';
import { printable } from '../terminal-text.js';

export interface Column<T> {
  title: string;
  value: (row: T) => string;
  align?: 'left' | 'right';
}

const GAP = '  ';

/** Width is that of the printed form; a line feed in a name makes no row. */
const cell = (text: string): string => printable(text).replace(/[\t\n]+/g, ' ');

/** A header, then one line per row, in linear time. */
export function renderTable<T>(rows: readonly T[], columns: readonly Column<T>[], colors: Colors): string {
  const cells = [
    columns.map((column) => colors.bold(column.title)),
    ...rows.map((row) => columns.map((column) => cell(column.value(row)))),
  ];
  const widths = columns.map((_, at) => cells.reduce((most, row) => Math.max(most, stringWidth(row[at] ?? '')), 0));
  const padded = (text: string, at: number): string => {
    const room = ' '.repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(text)));
    return columns[at]?.align === 'right' ? room + text : text + room;
  };
  return cells.map((row) => row.map(padded).join(GAP).trimEnd()).join('\n');
}

/** Columns of the terminal that the table takes. */
export function tableWidth<T>(rows: readonly T[], columns: readonly Column<T>[]): number {
  const widths = columns.map(({ title, value }) =>
    rows.reduce((most, row) => Math.max(most, stringWidth(cell(value(row)))), stringWidth(title)),
  );
  return widths.reduce((sum, width) => sum + width, 2 * (columns.length - 1));
}

export function renderFields(fields: readonly (readonly [string, string])[], colors: Colors): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${colors.dim(name.padEnd(width))}  ${value}`).join('\n');
}
