import { getTableColumns } from 'drizzle-orm';
import { KEPT, type KeptOptions } from '../domain/requests/run-options.js';
import { runs } from './schema/runs.js';

const columns = getTableColumns(runs);

/** Select list of the options stored with runs, or of some, under their own names. Big integers come as numbers. */
export const selectKept = (table: string, keys: readonly (keyof KeptOptions)[] = KEPT): string =>
  keys
    .map((key) => {
      const { name, columnType } = columns[key];
      return `${table}.${name}${columnType === 'PgBigInt53' ? '::float8' : ''} as "${key}"`;
    })
    .join(', ');

/** The kept options among these values; what is absent takes its column's default. */
export const keptValues = <Values extends Partial<KeptOptions>>(
  values: Values,
): Pick<Values, keyof KeptOptions & keyof Values> =>
  Object.fromEntries(KEPT.map((key) => [key, values[key]])) as Pick<Values, keyof KeptOptions & keyof Values>;
