// Quoting by RFC 4180, of every value that the database can give: csv-stringify.
import { type Options, stringify } from 'csv-stringify/sync';

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** What spreadsheets take for a formula, or strip before they look for one; the wide forms too. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** A name or an error that a spreadsheet would run gets an apostrophe before it; a number stays one. */
const withoutFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** Every CSV of ours. A null is an empty field, a time ISO 8601 in UTC, an array or object JSON. Ends in a newline. */
export const csvText = (records: readonly unknown[], options: Pick<Options, 'header' | 'cast'> = {}): string =>
  stringify([...records], {
    ...options,
    cast: {
      string: withoutFormula,
      date: (value) => value.toISOString(),
      object: (value) => JSON.stringify(value),
      ...options.cast,
    },
  });
