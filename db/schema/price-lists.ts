import { sql } from 'drizzle-orm';
import { check, date, numeric, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/** US dollars per million tokens. */
const price = (name: string) => numeric(name, { precision: 20, scale: 10 });

/** Named lists of prices, to compute costs from token counts on reading: `run_costs`. What runs really cost is in `runs`. */
export const priceLists = pgTable(
  'price_lists',
  {
    list: text('list').notNull(),
    /** As runs name it. */
    model: text('model').notNull(),
    inputUsd: price('input_usd').notNull(),
    outputUsd: price('output_usd').notNull(),
    /** Of input that is read from the provider's cache; null: as any input. */
    cachedInputUsd: price('cached_input_usd'),
    /** Days of the runs' creation for which it holds: from the first, before the second. Null: without end. */
    validFrom: date('valid_from').notNull().default('-infinity'),
    validUntil: date('valid_until'),
  },
  (t) => [
    primaryKey({ name: 'price_lists_pkey', columns: [t.list, t.model, t.validFrom] }),
    check('price_lists_prices', sql`input_usd >= 0 and output_usd >= 0 and cached_input_usd >= 0`),
    check('price_lists_days', sql`valid_until > valid_from`),
  ],
);
