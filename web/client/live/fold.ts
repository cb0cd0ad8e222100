import type { LiveMessages, Answer } from '../../api/index.js';

export type Skeleton = Answer<'skeleton'>;
type Columns = Skeleton['columns'];

/** Merges new or changed steps into a run's skeleton. Idempotent. */
export function foldSteps(known: Skeleton, { columns, total }: LiveMessages['steps']): Skeleton {
  const places = new Map(known.columns.step.map((step, i) => [step, i]));
  const names = Object.keys(known.columns) as (keyof Columns)[];
  const next = Object.fromEntries(names.map((name) => [name, [...known.columns[name]]])) as unknown as Record<
    string,
    unknown[]
  >;
  const last = known.columns.step.at(-1) ?? 0;
  // A gap before a step: the steps between must be requested.
  const fresh = columns.step.map((step, i) => ({ step, i })).sort((a, b) => a.step - b.step);
  let expected = last + 1;
  for (const { step, i } of fresh) {
    const place = places.get(step);
    if (place === undefined && step !== expected) continue;
    if (place === undefined) expected++;
    for (const name of names) {
      const value: unknown = columns[name][i];
      if (place === undefined) next[name]!.push(value);
      else next[name]![place] = value;
    }
  }
  return { ...known, total: Math.max(known.total, total), columns: next as unknown as Columns };
}

export const hasGap = ({ columns, total, next }: Skeleton): boolean => next === null && columns.step.length < total;
