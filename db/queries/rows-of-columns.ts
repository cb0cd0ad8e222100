/** Result of `json_build_object('a', json_agg(a), …)`: columns of equal length; null: no rows. */
export type Columns<Row> = { [Key in keyof Row]: Row[Key][] | null };

/** Columns take half the JSON of rows, and half of PostgreSQL's time. */
export function rowsOfColumns<Row extends object>(columns: Columns<Row>): Row[] {
  const entries = Object.entries(columns) as [keyof Row, Row[keyof Row][] | null][];
  const length = entries[0]?.[1]?.length ?? 0;
  return Array.from({ length }, (_, i) => {
    const row = {} as Row;
    for (const [key, values] of entries) row[key] = values![i]!;
    return row;
  });
}
