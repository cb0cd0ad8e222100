import { withoutFormula } from '../../../domain/text/csv-formula.js';

export function save(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A file that the browser fetches from a download address. */
export function download(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.rel = 'noreferrer';
  link.download = '';
  link.click();
}

/** By RFC 4180; formulas of spreadsheets get an apostrophe. */
const cell = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : `"${withoutFormula(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('"', '""')}"`;

export const csvOf = (names: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [names, ...rows].map((line) => `${line.map(cell).join(',')}\r\n`).join('');
