import { csvText } from '../../report/csv-text.js';

/** What a query found, with its columns' names. */
export const renderCsv = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  csvText([columns, ...rows], { cast: { boolean: String } });
