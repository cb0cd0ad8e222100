// Quoting by RFC 4180, of every value that the database can give: csv-stringify.
import { stringify } from 'csv-stringify/sync';
import { withoutFormula } from '../../domain/text/csv-formula.js';

/** A null is an empty field, a time ISO 8601 in UTC, an array or object JSON. Ends in a newline. */
export const renderCsv = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  stringify([columns, ...rows], {
    cast: {
      boolean: String,
      string: withoutFormula,
      date: (value) => value.toISOString(),
      object: (value) => JSON.stringify(value),
    },
  });
