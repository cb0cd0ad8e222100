import type pg from 'pg';
import { closest } from '../domain/text/closest.js';
import { errorFields } from './database-error.js';

const RELATION = '42P01';
const COLUMN = '42703';

/** The unknown name, unqualified. Messages quote it, or put it before "does not exist". */
const missing = (message: string): string | null =>
  (/"([^"]+)"/.exec(message)?.[1] ?? /(\S+) does not exist/.exec(message)?.[1])?.split('.').at(-1) ?? null;

interface Relation {
  name: string;
  columns: string[];
}

async function relations(client: pg.Client): Promise<Relation[]> {
  const { rows } = await client.query<Relation>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'v', 'm', 'p') and pg_table_is_visible(c.oid)
       and c.relnamespace <> 'pg_catalog'::regnamespace
     group by c.relname order by c.relname`,
  );
  return rows;
}

/** Null: the query failed for another reason. Ends the client's failed transaction. */
export async function nearNames(client: pg.Client, sql: string, error: unknown): Promise<string | null> {
  const { code, message } = errorFields(error);
  const name = code === RELATION || code === COLUMN ? missing(message) : null;
  if (name === null) return null;
  try {
    await client.query('rollback');
    const all = await relations(client);
    if (code === RELATION)
      return advice(
        name,
        all.map((one) => one.name),
        'Tables and views',
      );
    const named = all.filter((one) => new RegExp(`\\b${one.name}\\b`, 'i').test(sql));
    const columns = [...new Set(named.flatMap((one) => one.columns))];
    return columns.length === 0 ? null : advice(name, columns, `Columns of ${named.map((one) => one.name).join(', ')}`);
  } catch {
    return null;
  }
}

function advice(name: string, known: readonly string[], what: string): string {
  const near = closest(name, known);
  return `${near === null ? '' : `Did you mean ${near}? `}${what}: ${known.join(', ')}.`;
}
