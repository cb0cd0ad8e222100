import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS_FOLDER } from '../../db/migration-files.js';
import { type SqlSource, sqlSources } from '../../db/sql-sources.js';

/** Markers around the generated part of docs/reference/schema.md. */
const SCHEMA_BEGIN = '<!-- schema: written by scripts/update-schema-docs.mjs -->';
const SCHEMA_END = '<!-- end of schema -->';

interface Column {
  name: string;
  type: string;
  primaryKey: boolean;
  notNull: boolean;
  default?: string | number | boolean;
}
interface ForeignKey {
  tableTo: string;
  columnsFrom: string[];
}
interface Table {
  name: string;
  columns: Record<string, Column>;
  foreignKeys: Record<string, ForeignKey>;
  compositePrimaryKeys: Record<string, { columns: string[] }>;
}

function latestTables(folder = MIGRATIONS_FOLDER): Table[] {
  const last = readdirSync(join(folder, 'meta'))
    .filter((name) => /^\d+_snapshot\.json$/.test(name))
    .sort()
    .at(-1);
  if (last === undefined) throw new Error(`no snapshot of the schema in ${folder}/meta`);
  const { tables } = JSON.parse(readFileSync(join(folder, 'meta', last), 'utf8')) as { tables: Record<string, Table> };
  return Object.values(tables).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Under `table runs`, `column runs.epoch`, `view run_scores`, `function …`, `type …`. */
function commentsIn(sources: readonly SqlSource[]): Map<string, string> {
  const comments = new Map<string, string>();
  for (const { text: sql } of sources)
    for (const [, what = '', text = ''] of sql.matchAll(
      /^comment on ((?:table|column|view|function|type) [\w.]+) is '((?:[^']|'')*)'/gm,
    ))
      comments.set(what, text.replaceAll("''", "'"));
  return comments;
}

const keysOf = (table: Table): Set<string> =>
  new Set([
    ...Object.values(table.columns)
      .filter((column) => column.primaryKey)
      .map((column) => column.name),
    ...Object.values(table.compositePrimaryKeys).flatMap((key) => key.columns),
  ]);

/** Mermaid accepts single words only. */
const word = (type: string): string =>
  type
    .replace('timestamp with time zone', 'timestamptz')
    .replace(/\(.*\)/, '')
    .replace('[]', '_array')
    .replaceAll(' ', '_');

function diagram(tables: readonly Table[]): string[] {
  const relations = tables.flatMap((table) =>
    Object.values(table.foreignKeys).map(({ tableTo, columnsFrom }) => {
      const optional = columnsFrom.some((name) => table.columns[name]?.notNull !== true);
      return `  ${tableTo} ${optional ? '|o' : '||'}--o{ ${table.name} : ${columnsFrom.join('_')}`;
    }),
  );
  const entities = tables.flatMap((table) => {
    const primary = keysOf(table);
    const foreign = new Set(Object.values(table.foreignKeys).flatMap((key) => key.columnsFrom));
    const keys = Object.values(table.columns).filter(({ name }) => primary.has(name) || foreign.has(name));
    const marks = (name: string) => [...(primary.has(name) ? ['PK'] : []), ...(foreign.has(name) ? ['FK'] : [])];
    return [
      `  ${table.name} {`,
      ...keys.map(({ name, type }) => `    ${word(type)} ${name} ${marks(name).join(', ')}`),
      '  }',
    ];
  });
  return ['```mermaid', 'erDiagram', ...relations.sort(), ...entities, '```'];
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

function tableSection(table: Table, comments: ReadonlyMap<string, string>): string[] {
  const primary = keysOf(table);
  const target = new Map(
    Object.values(table.foreignKeys).flatMap((key) => key.columnsFrom.map((name) => [name, key.tableTo] as const)),
  );
  const about = comments.get(`table ${table.name}`);
  return [
    `### ${table.name}`,
    '',
    ...(about === undefined ? [] : [about, '']),
    '| column | type | null | what |',
    '| --- | --- | --- | --- |',
    ...Object.values(table.columns).map(({ name, type, notNull }) => {
      const to = target.get(name);
      const what = [
        ...(primary.has(name) ? ['key'] : []),
        ...(to === undefined ? [] : [`→ [${to}](#${to})`]),
        ...(comments.get(`column ${table.name}.${name}`)?.split('\n') ?? []),
      ];
      return `| \`${name}\` | ${cell(type)} | ${notNull ? '' : 'yes'} | ${cell(what.join('; '))} |`;
    }),
    '',
  ];
}

function commented(comments: ReadonlyMap<string, string>, kind: 'view' | 'function' | 'type'): string[] {
  return [...comments]
    .filter(([what]) => what.startsWith(`${kind} `))
    .map(([what, text]) => `| \`${what.slice(kind.length + 1)}\` | ${cell(text)} |`)
    .sort();
}

export function schemaReference(): string {
  const tables = latestTables();
  const comments = commentsIn(sqlSources());
  return [
    '<!-- prettier-ignore-start -->',
    '',
    '## Diagram',
    '',
    'Keys only; every column is below.',
    '',
    ...diagram(tables),
    '',
    '## Views',
    '',
    '| view | what |',
    '| --- | --- |',
    ...commented(comments, 'view'),
    '',
    '## Functions',
    '',
    'Shared types come first. `\\df+ <name>` shows the arguments.',
    '',
    '| function | what |',
    '| --- | --- |',
    ...commented(comments, 'type'),
    ...commented(comments, 'function'),
    '',
    '## Tables',
    '',
    ...tables.flatMap((table) => tableSection(table, comments)),
    '<!-- prettier-ignore-end -->',
  ].join('\n');
}

export function withSchema(page: string, reference: string): string {
  const [before, rest] = page.split(SCHEMA_BEGIN);
  const after = rest?.split(SCHEMA_END)[1];
  if (before === undefined || after === undefined)
    throw new Error('docs/reference/schema.md lacks the markers of its generated part');
  return `${before}${SCHEMA_BEGIN}\n\n${reference.trimEnd()}\n\n${SCHEMA_END}${after}`;
}
