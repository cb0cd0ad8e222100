// diff: Myers' algorithm over lists, with a bound on its time.
import { diffArrays } from 'diff';

interface AlignedRow {
  /** Places in either run; null: it has none here. */
  a: number | null;
  b: number | null;
  kind: 'same' | 'changed' | 'only-a' | 'only-b';
}

export interface Aligned {
  rows: AlignedRow[];
  /** By what they were laid beside each other. */
  by: 'kind of action' | 'number';
}

/** Steps of two runs side by side: exactly as far as one was copied of the other, then by what each does. */
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
      // One thing in the place of another: side by side as far as both go.
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
