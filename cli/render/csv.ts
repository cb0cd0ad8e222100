import { csvText } from '../../report/csv-text.js';

export const renderCsv = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  csvText([columns, ...rows], { cast: { boolean: String } });
