import { z } from 'zod';
import { ERROR_CODES } from '../../domain/error-codes.js';
import type { Printed } from './documents.js';

/** The part of the page that is written by scripts/update-json-docs.mjs lies between these. */
export const JSON_PAGE = 'docs/reference/json.md';
const BEGIN = '<!-- documents: written by scripts/update-json-docs.mjs -->';
const END = '<!-- end of documents -->';

type JsonSchema = z.core.JSONSchema.JSONSchema & { inWords?: string };
type Shared = Readonly<Record<string, JsonSchema>>;

const schemaOf = (value: z.core.JSONSchema._JSONSchema): JsonSchema => (typeof value === 'boolean' ? {} : value);
const referenceOf = (schema: JsonSchema): string | null => schema.$ref?.replace('#/$defs/', '') ?? null;
const propertiesOf = (schema: JsonSchema): [string, JsonSchema][] =>
  Object.entries(schema.properties ?? {}).map(([key, value]) => [key, schemaOf(value)]);
const keyOf = (schema: JsonSchema, key: string): string => (schema.required?.includes(key) === true ? key : `${key}?`);

const NULL = 'null';
const objectText = (schema: JsonSchema): string => {
  const properties = propertiesOf(schema);
  const described = properties.find(([, value]) => value.description !== undefined);
  if (described !== undefined)
    throw new Error(`${described[0]} is described, but the object that holds it has no id: it would not be shown`);
  // Most keys are strings: those have no type there.
  const keys = properties.map(([key, value]) => [keyOf(schema, key), typeText(value)] as const);
  return `{${keys.map(([key, type]) => (type === 'string' ? key : `${key}: ${type}`)).join(', ')}}`;
};

/** One of several; a question mark stands for null. */
const choiceText = (choices: readonly string[]): string => {
  const others = choices.filter((one) => one !== NULL);
  return others.join('/') + (others.length < choices.length ? '?' : '');
};

/** `[Run]`, `Time?`, `queued/running`, `{low: number, high: number}`. */
function typeText(schema: JsonSchema): string {
  const reference = referenceOf(schema);
  if (reference !== null) return reference;
  if (schema.enum !== undefined) return choiceText(schema.enum.map(String));
  if (schema.const !== undefined) return String(schema.const);
  if (schema.anyOf !== undefined) return choiceText(schema.anyOf.map((one) => typeText(schemaOf(one))));
  if (Array.isArray(schema.type)) return choiceText(schema.type);
  if (schema.prefixItems !== undefined)
    return `[${schema.prefixItems.map((one) => typeText(schemaOf(one))).join(', ')}]`;
  if (schema.type === 'array') return `[${typeText(schemaOf(schema.items as z.core.JSONSchema._JSONSchema))}]`;
  if (schema.type !== 'object') return schema.type ?? 'any';
  return typeof schema.additionalProperties === 'object'
    ? `{…: ${typeText(schemaOf(schema.additionalProperties))}}`
    : objectText(schema);
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  // Without padding: a longer cell would change every line.
  [head, head.map(() => '-'), ...rows].map((cells) => `|${cells.join('|')}|`).join('\n');

/** A row for each key with a description; keys of one type without any share a row. */
function keyRows(schema: JsonSchema, left: ReadonlySet<string>): string[][] {
  const rows = new Map<string, { keys: string[]; type: string; meaning: string }>();
  for (const [key, value] of propertiesOf(schema)) {
    if (left.has(key)) continue;
    const [type, meaning] = [typeText(value), value.description ?? ''];
    const id = meaning === '' ? type : `${type}: ${meaning}`;
    const row = rows.get(id) ?? { keys: [], type, meaning };
    row.keys.push(`\`${keyOf(schema, key)}\``);
    rows.set(id, row);
  }
  return [...rows.values()].map(({ keys, type, meaning }) => [keys.join(', '), `\`${type}\``, meaning]);
}

/** The largest other object all of whose keys this one has too. */
function baseOf(name: string, schema: JsonSchema, shared: Shared): string | null {
  const own = new Map(propertiesOf(schema).map(([key, value]) => [key, JSON.stringify(value)]));
  const bases = Object.entries(shared).filter(([other, candidate]) => {
    const properties = propertiesOf(candidate);
    return (
      other !== name &&
      properties.length > 5 &&
      properties.length < own.size &&
      properties.every(([key, value]) => own.get(key) === JSON.stringify(value))
    );
  });
  const size = ([, one]: (typeof bases)[number]): number => propertiesOf(one).length;
  return bases.sort((a, b) => size(b) - size(a))[0]?.[0] ?? null;
}

function section(name: string, schema: JsonSchema, shared: Shared): string {
  const base = baseOf(name, schema, shared);
  const known = new Set(base === null ? [] : propertiesOf(shared[base] ?? {}).map(([key]) => key));
  const words = [schema.description, ...(base === null ? [] : [`What a [${base}](#${base.toLowerCase()}) has, and:`])];
  const intro = words.filter((one) => one !== undefined).join(' ');
  return `### ${name}\n\n${intro === '' ? '' : `${intro}\n\n`}${table(['key', 'value', 'meaning'], keyRows(schema, known))}\n`;
}

const oneOf = (schema: JsonSchema, shared: Shared): string => {
  const reference = referenceOf(schema);
  if (reference !== null && shared[reference]?.type === 'object') return `[${reference}](#${reference.toLowerCase()})`;
  return schema.inWords ?? `\`${typeText(schema)}\``;
};

/** What each command prints, then each object and value that has a name, as Markdown. */
export function jsonReference(documents: Readonly<Record<string, readonly Printed[]>>): string {
  // One schema over all, so that each shared object is defined once.
  const printed = Object.entries(documents);
  const all = z.object(
    Object.fromEntries(
      printed.flatMap(([command, list]) => list.map(({ schema }, nth) => [`${command} ${nth}`, schema] as const)),
    ),
  );
  const root = z.toJSONSchema(all, { io: 'output', unrepresentable: 'any' });
  const shared = Object.fromEntries(Object.entries(root.$defs ?? {}).map(([id, one]) => [id, schemaOf(one)]));
  const [objects, values] = [true, false].map((object) =>
    Object.entries(shared).filter(([, one]) => (one.type === 'object') === object),
  ) as [[string, JsonSchema][], [string, JsonSchema][]];
  const commands = new Map<string, string[]>();
  for (const [command, list] of printed) {
    const forms = list.map(({ when }, nth) => {
      const text = oneOf(schemaOf(root.properties?.[`${command} ${nth}`] ?? {}), shared);
      return when === undefined ? text : `${when}: ${text}`;
    });
    const document = forms.join('; ');
    commands.set(document, [...(commands.get(document) ?? []), `\`${command}\``]);
  }
  const inOrder = (a: [string, unknown], b: [string, unknown]): number => (a[0] < b[0] ? -1 : 1);
  return [
    `### Codes\n\n${table(
      ['code', 'what is wrong'],
      Object.entries(ERROR_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]),
    )}\n`,
    `## Commands\n\n${table(
      ['command', 'document'],
      [...commands].map(([document, names]) => [names.join(', '), document]),
    )}\n`,
    `## Values\n\n${table(
      ['name', 'value', 'meaning'],
      values.sort(inOrder).map(([name, one]) => [`\`${name}\``, `\`${typeText(one)}\``, one.description ?? '']),
    )}\n`,
    `## Objects\n`,
    ...objects.sort(inOrder).map(([name, one]) => section(name, one, shared)),
  ].join('\n');
}

/** The page with its generated part replaced. */
export function withJsonReference(page: string, reference: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${JSON_PAGE} has lost the markers of its generated part`);
  const ignored = `<!-- prettier-ignore-start -->\n\n${reference}\n<!-- prettier-ignore-end -->`;
  return `${page.slice(0, begin + BEGIN.length)}\n\n${ignored}\n\n${page.slice(end)}`;
}
