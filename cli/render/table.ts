import Table from 'cli-table3';
import type { Colors } from 'picocolors/types.js';
import stringWidth from 'string-width';
import { printable } from '../terminal-text.js';

export interface Column<T> {
  title: string;
  value: (row: T) => string;
  align?: 'left' | 'right';
}

const NO_LINES = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
  ].map((name) => [name, '']),
);

/** What is measured is what is shown; a line feed of a name makes no row. */
const cell = (text: string): string => printable(text).replace(/[\t\n]+/g, ' ');

/** A plain table: a header, then one line per row, columns apart by two spaces. */
export function renderTable<T>(rows: readonly T[], columns: readonly Column<T>[], colors: Colors): string {
  const table = new Table({
    head: columns.map((column) => colors.bold(column.title)),
    colAligns: columns.map((column) => column.align ?? 'left'),
    chars: { ...NO_LINES, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
  });
  for (const row of rows) table.push(columns.map((column) => cell(column.value(row))));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Columns of the terminal that the table takes. */
export function tableWidth<T>(rows: readonly T[], columns: readonly Column<T>[]): number {
  const widths = columns.map(({ title, value }) =>
    Math.max(stringWidth(title), ...rows.map((row) => stringWidth(cell(value(row))))),
  );
  return widths.reduce((sum, width) => sum + width, 2 * (columns.length - 1));
}

/** Pairs of name and value, one per line. */
export function renderFields(fields: readonly (readonly [string, string])[], colors: Colors): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${colors.dim(name.padEnd(width))}  ${value}`).join('\n');
}
