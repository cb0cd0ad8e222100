import { sql } from 'drizzle-orm';
import { check, date, numeric, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/** US dollars per million tokens. */
const price = (name: string) => numeric(name, { precision: 20, scale: 10 });

/** Named lists by which `run_costs` prices token counts. Actual costs are in `runs`. */
export const priceLists = pgTable(
  'price_lists',
  {
    list: text('list').notNull(),
    model: text('model').notNull(),
    inputUsd: price('input_usd').notNull(),
    outputUsd: price('output_usd').notNull(),
    /** For cached input; null: like other input. */
    cachedInputUsd: price('cached_input_usd'),
    /** For runs created from the first day until before the second. Null: no end. */
    validFrom: date('valid_from').notNull().default('-infinity'),
    validUntil: date('valid_until'),
  },
  (t) => [
    primaryKey({ name: 'price_lists_pkey', columns: [t.list, t.model, t.validFrom] }),
    check('price_lists_prices', sql`input_usd >= 0 and output_usd >= 0 and cached_input_usd >= 0`),
    check('price_lists_days', sql`valid_until > valid_from`),
  ],
);
