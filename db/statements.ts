import type pg from 'pg';
import { isRetryable } from './database-error.js';

/** Run one statement in its own transaction. */
export type Statements = <Row extends object>(operation: string, text: string, values: unknown[]) => Promise<Row[]>;

const MAX_TRIES = 5;

/** `translate` makes the error that callers see. Deadlocks and similar conflicts are retried first. */
export function statements(pool: pg.Pool, translate: (operation: string, error: unknown) => Error): Statements {
  return async <Row extends object>(operation: string, text: string, values: unknown[]): Promise<Row[]> => {
    for (let tries = 1; ; tries++) {
      try {
        return (await pool.query<Row & pg.QueryResultRow>(text, values)).rows;
      } catch (error) {
        if (!isRetryable(error) || tries === MAX_TRIES) throw translate(operation, error);
      }
    }
  };
}

/** PostgreSQL's text cannot hold NUL characters; commands print them. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD');
