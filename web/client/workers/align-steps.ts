// Myers' algorithm over lists, with a time limit.
import { diffArrays } from 'diff';

interface AlignedRow {
  /** Null: the step has no place in that run. */
  a: number | null;
  b: number | null;
  kind: 'same' | 'changed' | 'only-a' | 'only-b';
}

export interface Aligned {
  rows: AlignedRow[];
  by: 'kind of action' | 'number';
}

/** Two runs side by side: exactly as far as copied, then by kinds of action. */
export function alignSteps(first: readonly string[], second: readonly string[], copied: number): Aligned {
  const rows: AlignedRow[] = [];
  const shared = Math.min(copied, first.length, second.length);
  for (let i = 0; i < shared; i++) rows.push({ a: i, b: i, kind: 'same' });
  const parts = diffArrays(first.slice(shared), second.slice(shared), { timeout: 500, maxEditLength: 20_000 });
  let a = shared;
  let b = shared;
  if (parts === undefined) {
    for (; a < first.length || b < second.length; a++, b++)
      rows.push({
        a: a < first.length ? a : null,
        b: b < second.length ? b : null,
        kind:
          a >= first.length ? 'only-b' : b >= second.length ? 'only-a' : first[a] === second[b] ? 'same' : 'changed',
      });
    return { rows, by: 'number' };
  }
  for (let i = 0; i < parts.length; i++) {
    const { value, added, removed } = parts[i]!;
    const next = parts[i + 1];
    if (removed && next?.added === true) {
      // Replacements go side by side.
      const [gone, come] = [value.length, next.value.length];
      for (let k = 0; k < Math.max(gone, come); k++)
        rows.push(
          k < gone && k < come
            ? { a: a + k, b: b + k, kind: 'changed' }
            : k < gone
              ? { a: a + k, b: null, kind: 'only-a' }
              : { a: null, b: b + k, kind: 'only-b' },
        );
      a += gone;
      b += come;
      i++;
    } else
      for (let k = 0; k < value.length; k++)
        rows.push(
          added
            ? { a: null, b: b++, kind: 'only-b' }
            : removed
              ? { a: a++, b: null, kind: 'only-a' }
              : { a: a++, b: b++, kind: 'same' },
        );
  }
  return { rows, by: 'kind of action' };
}
