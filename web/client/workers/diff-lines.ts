// Myers' algorithm with limits of time and length.
import { diffLines } from 'diff';

export interface Line {
  kind: 'same' | 'added' | 'removed' | 'gap';
  text: string;
}

/** Changed lines with context; null: it would take too long. */
export function diffOf(before: string, after: string, context: number): Line[] | null {
  const parts = diffLines(before, after, { timeout: 300, maxEditLength: 5_000 });
  if (parts === undefined) return null;
  const lines: Line[] = [];
  parts.forEach(({ value, added, removed }, i) => {
    const texts = value.replace(/\r?\n$/, '').split(/\r?\n/);
    if (added || removed) {
      for (const text of texts) lines.push({ kind: added ? 'added' : 'removed', text });
      return;
    }
    const head = i === 0 ? 0 : context;
    const tail = i === parts.length - 1 ? 0 : context;
    const left = texts.length - head - tail;
    const same = (some: string[]): void => void lines.push(...some.map((text) => ({ kind: 'same' as const, text })));
    if (left <= 1) return same(texts);
    same(texts.slice(0, head));
    lines.push({ kind: 'gap', text: `⋯ ${left} equal lines` });
    same(texts.slice(texts.length - tail));
  });
  return lines;
}
