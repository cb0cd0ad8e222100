// Quoting by RFC 4180, of every value that the database can give: csv-stringify.
import { type Options, stringify } from 'csv-stringify/sync';
import { withoutFormula } from './csv-formula.js';

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
