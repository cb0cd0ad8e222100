// Foreign keys of a table that the same migration creates belong into its `create table`: PostgreSQL then need not look for rows
// that break them, which takes a quarter of the time of a new home's schema. drizzle-kit adds them afterwards, one by one.
const BREAK = '--> statement-breakpoint';
const TABLE = /^CREATE TABLE "([^"]+)" \(/;
const FOREIGN_KEY =
  /^ALTER TABLE "([^"]+)" ADD (CONSTRAINT [^;]* FOREIGN KEY [^;]* REFERENCES "public"\."([^"]+)"[^;]*);$/;

/** A migration's text, tables after those that they refer to. Tables that refer to one another in a circle keep their statements. */
export function foldForeignKeys(migration) {
  const statements = migration.split(BREAK).map((statement) => statement.trim());
  const nameOf = (statement) => TABLE.exec(statement)?.[1];
  const keys = statements.map((statement) => FOREIGN_KEY.exec(statement)).filter((match) => match !== null);
  const tables = new Map();
  for (const statement of statements) {
    const name = nameOf(statement);
    if (name !== undefined)
      tables.set(name, { statement, keys: keys.filter(([, table]) => table === name), state: 'new' });
  }
  const placed = [];
  const folded = new Set();
  const place = (name) => {
    const table = tables.get(name);
    if (table === undefined || table.state !== 'new') return;
    table.state = 'open';
    for (const [, , , target] of table.keys) place(target);
    const ready = table.keys.filter(([, , , target]) => target === name || tables.get(target)?.state !== 'open');
    table.state = 'placed';
    for (const [statement] of ready) folded.add(statement);
    const constraints = ready.map(([, , constraint]) => `,\n\t${constraint}`).join('');
    placed.push(table.statement.replace(/\n\);$/, `${constraints}\n);`));
  };
  for (const name of tables.keys()) place(name);
  const first = statements.findIndex((statement) => nameOf(statement) !== undefined);
  if (first === -1) return migration;
  const rest = (statement) => nameOf(statement) === undefined && !folded.has(statement);
  return [...statements.slice(0, first).filter(rest), ...placed, ...statements.slice(first).filter(rest)].join(
    `\n${BREAK}\n`,
  );
}
