import type { Statements } from '../statements.js';

/** Replaces all prices of these models in the list, for all days. */
export async function setPrices(
  run: Statements,
  list: string,
  prices: Readonly<Record<string, { input: number; output: number }>>,
): Promise<void> {
  const rows = Object.entries(prices).map(([model, { input, output }]) => ({ model, input, output }));
  if (rows.length === 0) return;
  // A separate statement: one statement may not touch the same row twice.
  await run(
    'setPrices',
    `with given as (
       select * from jsonb_to_recordset($2::jsonb) as g (model text, input numeric, output numeric)
     ), dated as (
       delete from price_lists p using given g where p.list = $1 and p.model = g.model and p.valid_from <> '-infinity'
     )
     insert into price_lists (list, model, input_usd, output_usd)
     select $1, g.model, g.input, g.output from given g
     on conflict (list, model, valid_from) do update
       set input_usd = excluded.input_usd, output_usd = excluded.output_usd, cached_input_usd = null, valid_until = null`,
    [list, JSON.stringify(rows)],
  );
}
