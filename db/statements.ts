import { createHash } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type pg from 'pg';
import { isRetryable } from './database-error.js';
import { askWhileWanted } from './while-wanted.js';

export type Statements = <Row extends object>(operation: string, text: string, values: unknown[]) => Promise<Row[]>;

const MAX_TRIES = 5;

/** Tests compare each answer with the `Row` that its caller asserts, which nothing else checks. */
const answers = channel('bench:statement');

type Translate = (operation: string, error: unknown) => Error;

/** `translate` makes callers' errors, after retries of deadlocks and similar conflicts. */
export function statements(pool: pg.Pool, translate: Translate): Statements {
  return (operation, text, values) => retried(operation, text, translate, () => askWhileWanted(pool, { text, values }));
}

/** Planned once per connection, where planning costs more than running. Texts must be few. */
export function preparedStatements(pool: pg.Pool, translate: Translate): Statements {
  let prepares = true;
  const names = new Map<string, string>();
  const nameOf = (operation: string, text: string): string => {
    const name = names.get(text) ?? `${operation}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    names.set(text, name);
    return name;
  };
  return (operation, text, values) =>
    retried(operation, text, translate, async () => {
      try {
        return await askWhileWanted(pool, { text, values, ...(prepares && { name: nameOf(operation, text) }) });
      } catch (error) {
        if (!prepares || !isUnprepared(error)) throw error;
        prepares = false;
        return askWhileWanted(pool, { text, values });
      }
    });
}

async function retried<Row extends object>(
  operation: string,
  text: string,
  translate: Translate,
  ask: () => Promise<pg.QueryResult>,
): Promise<Row[]> {
  for (let tries = 1; ; tries++) {
    try {
      const result = await ask();
      if (answers.hasSubscribers) answers.publish({ operation, text, result });
      return result.rows as Row[];
    } catch (error) {
      if (!isRetryable(error) || tries === MAX_TRIES) throw translate(operation, error);
    }
  }
}

/** A pooler in transaction mode changed the connection, or a migration the columns. */
const isUnprepared = (error: unknown): boolean =>
  ['26000', '42P05', '0A000'].includes(String((error as { code?: unknown } | null)?.code));

export { storable } from '../domain/text/storable.js';
