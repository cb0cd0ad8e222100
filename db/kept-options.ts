import { getTableColumns } from 'drizzle-orm';
import { KEPT, type KeptOptions } from '../domain/requests/run-options.js';
import { runs } from './schema/runs.js';

const columns = getTableColumns(runs);

/** Select list of options stored with runs. Big integers become numbers. */
export const selectKept = (table: string, keys: readonly (keyof KeptOptions)[] = KEPT): string =>
  keys
    .map((key) => {
      const { name, columnType } = columns[key];
      return `${table}.${name}${columnType === 'PgBigInt53' ? '::float8' : ''} as "${key}"`;
    })
    .join(', ');

export const keptValues = <Values extends Partial<KeptOptions>>(
  values: Values,
): Pick<Values, keyof KeptOptions & keyof Values> =>
  Object.fromEntries(KEPT.map((key) => [key, values[key]])) as Pick<Values, keyof KeptOptions & keyof Values>;
