import { readFileSync } from 'node:fs';
import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Document, Node } from 'yaml';
import type { z } from 'zod';
import { closest } from '../domain/text/closest.js';
import { ConfigError } from './config-error.js';
import { knownKeys } from './schema-keys.js';
import type { ConfigProblem } from '../domain/views/catalog.js';

/** `problem` builds a further problem at the line of a key. */
export interface YamlFile<T> {
  value: T;
  problem: ProblemAt;
}

/** `lineOfText`: the line within the text at this path, from 1, for texts of several lines. */
export type ProblemAt = (path: readonly PropertyKey[], message: string, lineOfText?: number) => ConfigProblem;

const dotted = (path: readonly PropertyKey[]): string => path.map(String).join('.');

/** Of the deepest node along the path: a missing key is reported at its parent. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number | null {
  let node: unknown = document.contents;
  let offset: number | null = isNode(node) ? (node.range?.[0] ?? null) : null;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
      if (!isPair(pair)) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      if (!isNode(node)) break;
      offset = node.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}

/** Lines between a key and a line of its literal block (`|`); 0 for texts that may be folded. */
function linesBelow(document: Document, path: readonly PropertyKey[], lineOfText: number): number {
  const node = document.getIn(path, true);
  return isScalar(node) && node.type === 'BLOCK_LITERAL' ? lineOfText : 0;
}

/** zod's issue in our words, with the value found and what is expected. */
function describe(issue: z.core.$ZodIssue, found: unknown): string {
  if (issue.code === 'invalid_type') {
    if (found === undefined) return `is missing; expected ${issue.expected}`;
    const actual = found === null ? 'nothing' : Array.isArray(found) ? 'a list' : typeof found;
    return `expected ${issue.expected}, found ${actual}`;
  }
  if (issue.code === 'invalid_value') {
    const values = issue.values.map((value) => String(value));
    if (found === undefined) return `is missing; expected ${values.join(' or ')}`;
    const near = typeof found === 'string' ? closest(found, values) : null;
    return `expected ${values.join(' or ')}, found ${JSON.stringify(found)}${near === null ? '' : `; did you mean ${near}?`}`;
  }
  const message = issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  if (issue.code === 'custom' && issue.params?.['secret'] === true) return message;
  if (typeof found === 'string') return `${message}, found ${JSON.stringify(found).slice(0, 80)}`;
  return typeof found === 'number' ? `${message}, found ${String(found)}` : message;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let here = root;
  for (const part of path) here = (here as Record<PropertyKey, unknown> | null | undefined)?.[part];
  return here;
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder, not a file',
};

/** Throws a ConfigError that names file, line and key of every problem. */
export function readYaml<S extends z.ZodType>(file: string, schema: S): YamlFile<z.output<S>> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const message = UNREADABLE[code] ?? `cannot be read (${code})`;
    throw new ConfigError([{ file, line: null, key: '', message }], { cause });
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | null): number | null => (offset === null ? null : lines.linePos(offset).line);
  const problem: ProblemAt = (path, message, lineOfText) => {
    const line = lineAt(offsetOf(document, path));
    const below = line === null || lineOfText === undefined ? 0 : linesBelow(document, path, lineOfText);
    return { file, line: line === null ? null : line + below, key: dotted(path), message };
  };

  if (document.errors.length > 0) {
    throw new ConfigError(
      document.errors.map((error) => {
        const line = lineAt(error.pos[0]);
        if (error.code !== 'DUPLICATE_KEY') return { file, line, key: '', message: `not valid YAML: ${error.message}` };
        const key = /^[\w.-]+/.exec(text.slice(error.pos[0]))?.[0] ?? '';
        return { file, line, key, message: 'the key occurs twice; keep one' };
      }),
      { remedy: 'Correct the YAML (indent with spaces, quote texts that contain ": " or start with { [ * & ! %).' },
    );
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new ConfigError([{ file, line: null, key: '', message: aliasProblem(cause) }], { cause });
  }
  if (value === null || value === undefined)
    throw new ConfigError([{ file, line: null, key: '', message: 'is empty' }]);

  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, problem };
  const problems: ConfigProblem[] = [];
  for (const issue of result.error.issues) {
    if (issue.code !== 'unrecognized_keys') {
      problems.push(problem(issue.path, describe(issue, valueAt(value, issue.path))));
      continue;
    }
    const known = knownKeys(schema, issue.path, value);
    for (const key of issue.keys) {
      const near = closest(key, known);
      const hint = near === null ? `known keys: ${known.join(', ')}` : `did you mean ${near}?`;
      problems.push(problem([...issue.path, key], `unknown key; ${hint}`));
    }
  }
  throw new ConfigError(problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)));
}

function aliasProblem(cause: unknown): string {
  const name = /^Unresolved alias .*: (\S+)$/.exec((cause as Error).message)?.[1];
  return name === undefined
    ? 'too many YAML aliases; write the values out'
    : `the alias *${name} has no anchor &${name} before it; quote a text that starts with *`;
}

/** A file as far as it can be read, without a schema; null: not at all, and readYaml says why. */
export function yamlContent(file: string): unknown {
  try {
    return parseDocument(readFileSync(file, 'utf8')).toJS({ maxAliasCount: 100 });
  } catch {
    return null;
  }
}
