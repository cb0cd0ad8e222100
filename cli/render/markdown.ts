import type { Column } from './table.js';

/** Markdown's own signs, and its HTML, are text in a name. */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\\`*_{}[\]<>#|~&]/g, (char) => `\\${char}`)
    .replace(/\s+/g, ' ')
    .trim();

export function markdownTable<T>(rows: readonly T[], columns: readonly Column<T>[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => escapeMarkdown(title))),
    line(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))),
    ...rows.map((row) => line(columns.map(({ value }) => escapeMarkdown(value(row))))),
  ].join('\n');
}
