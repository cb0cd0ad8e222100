import type { FieldDef } from 'pg';
import { type Alternative, type Mismatch, mismatches, type Shape } from './shapes.js';

/** A call that says of which type the rows of its answer are. */
export interface DeclaredRow {
  /** Null: `client.query`, or one of several that a parameter names. */
  operation: string | null;
  /** The statement's parts that are known before it runs; anything may be between them. */
  text: readonly string[];
  row: Shape;
  /** `file:line` */
  place: string;
}

export const declaresRow = ({ row }: DeclaredRow): boolean => row.some(({ is }) => is !== 'anything');

export interface Answer {
  /** Null: of `client.query`. */
  operation: string | null;
  text: string;
  result: { rows: readonly unknown[]; fields: readonly Pick<FieldDef, 'name' | 'dataTypeID'>[] };
}

const MAX_ROWS = 50;

/** What pg makes of a type: known of columns that are null, and of answers without rows, too. */
const KINDS: Readonly<Record<number, Alternative['is']>> = {
  ...{ 16: 'boolean', 17: 'Buffer', 20: 'string', 21: 'number', 23: 'number', 25: 'string', 700: 'number' },
  ...{ 701: 'number', 1007: 'array', 1009: 'array', 1016: 'array', 1043: 'string', 1082: 'Date', 1114: 'Date' },
  ...{ 1184: 'Date', 1231: 'array', 1700: 'string' },
};

/** Compares answers of PostgreSQL with the rows that their callers declare. */
export class AnswerCheck {
  /** The calls that had an answer. */
  readonly seen = new Set<string>();
  readonly #declared: readonly DeclaredRow[];
  readonly #callers = new Map<string, readonly DeclaredRow[]>();

  constructor(declared: readonly DeclaredRow[]) {
    this.#declared = declared;
  }

  /** What the nearest caller declares otherwise, a line each. */
  faults(answer: Answer): string[] {
    const callers = this.#callersOf(answer);
    if (callers.length === 0 && answer.operation !== null)
      return [`${answer.operation}: no known call of db/ asks this`];
    for (const { place } of callers) this.seen.add(place);
    const found = callers.map((caller) => ({ caller, faults: mismatchesOf(caller.row, answer.result) }));
    const [nearest] = found.toSorted((one, other) => one.faults.length - other.faults.length);
    if (nearest === undefined) return [];
    const { operation, place } = nearest.caller;
    return nearest.faults.map(
      (fault) =>
        `${answer.operation ?? operation ?? 'query'}: ${fault.where}: declared ${fault.declared}, PostgreSQL returned ${fault.found} (${place})`,
    );
  }

  #callersOf({ operation, text }: Answer): readonly DeclaredRow[] {
    const key = `${operation} ${text}`;
    const known = this.#callers.get(key);
    if (known !== undefined) return known;
    const callers = this.#declared.filter(
      (one) =>
        (one.operation === null ? declaresRow(one) || operation !== null : one.operation === operation) &&
        isOf(one.text, text),
    );
    this.#callers.set(key, callers);
    return callers;
  }
}

function isOf(parts: readonly string[], text: string): boolean {
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

/** One of each column. */
function mismatchesOf(row: Shape, { rows, fields }: Answer['result']): Mismatch[] {
  const found = new Map<string, Mismatch>();
  const columns = row.length === 1 && row[0]?.is === 'object' ? Object.entries(row[0].properties) : [];
  for (const [where, shape] of columns) {
    const kinds = shape.map(({ is }) => is);
    const field = fields.find(({ name }) => name === where);
    const kind = field === undefined ? 'undefined' : KINDS[field.dataTypeID];
    if (kind === undefined || kinds.includes('anything') || kinds.includes(kind)) continue;
    const returned = field === undefined ? 'no such column' : `a column of ${kind}`;
    found.set(where, { where, declared: kinds.join(' | '), found: returned });
  }
  for (const value of rows.slice(0, MAX_ROWS))
    for (const one of mismatches(row, value)) if (!found.has(one.where)) found.set(one.where, one);
  return [...found.values()];
}
