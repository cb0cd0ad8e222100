import { sql, type SQL } from 'drizzle-orm';
import { doublePrecision, numeric, timestamp } from 'drizzle-orm/pg-core';

export const time = (name: string) => timestamp(name, { withTimezone: true });
export const createdAt = () => time('created_at').notNull().defaultNow();

/** US dollars, exact. */
export const money = (name: string) => numeric(name, { precision: 20, scale: 10 });

export const milliseconds = (name: string) => doublePrecision(name);

export const oneOf = (column: string, words: readonly string[]): SQL =>
  sql.raw(`${column} in (${words.map((word) => `'${word}'`).join(', ')})`);

/** Neither negative nor NaN: a request must never lower what others may spend. */
export const notNegative = (amounts: { money?: readonly string[]; tokens?: readonly string[] }): SQL =>
  sql.raw(
    [
      ...(amounts.money ?? []).map((column) => `${column} >= 0 and ${column} <> 'NaN'`),
      ...(amounts.tokens ?? []).map((column) => `${column} >= 0`),
    ].join(' and '),
  );
