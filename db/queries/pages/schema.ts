import type { DatabaseSchema } from '../../../domain/views/schema.js';
import type { Statements } from '../../statements.js';

/** Tables and views with their columns, and the functions that a query may call. */
export async function databaseSchema(run: Statements): Promise<Omit<DatabaseSchema, 'examples'>> {
  const [relations, functions] = await Promise.all([
    run<DatabaseSchema['relations'][number]>(
      'schemaRelations',
      `select c.relname::text as name, case c.relkind when 'v' then 'view' else 'table' end as kind,
         obj_description(c.oid, 'pg_class') as comment,
         case when c.relkind = 'v' or c.reltuples < 0 then null else c.reltuples::float8 end as rows,
         jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull,
           'comment', col_description(c.oid, a.attnum)) order by a.attnum) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v')
       group by c.oid order by c.relname`,
      [],
    ),
    // Those with a comment are meant to be called; the others serve them, and triggers.
    run<DatabaseSchema['functions'][number]>(
      'schemaFunctions',
      `select p.proname::text as name, pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as returns,
         obj_description(p.oid, 'pg_proc') as comment
       from pg_proc p
       where p.pronamespace = current_schema()::regnamespace and p.prorettype <> 'trigger'::regtype
         and obj_description(p.oid, 'pg_proc') is not null
       order by p.proname, p.oid`,
      [],
    ),
  ]);
  return { relations, functions };
}
