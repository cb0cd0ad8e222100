/** What `json_build_object('a', json_agg(a), …)` gives: equally long; null: no rows. */
export type Columns<Row> = { [Key in keyof Row]: Row[Key][] | null };

/** Many rows as columns are half as long in JSON, and take PostgreSQL half the time to write. */
export function rowsOfColumns<Row extends object>(columns: Columns<Row>): Row[] {
  const entries = Object.entries(columns) as [keyof Row, Row[keyof Row][] | null][];
  const length = entries[0]?.[1]?.length ?? 0;
  return Array.from({ length }, (_, i) => {
    const row = {} as Row;
    for (const [key, values] of entries) row[key] = values![i]!;
    return row;
  });
}
