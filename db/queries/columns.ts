/**
 * `json_build_object('a', json_agg(a), …)`: columns of equal length; null: no rows. Half the JSON
 * of rows, and half of PostgreSQL's time.
 */
export type Columns<Row> = { [Key in keyof Row]: Row[Key][] | null };
