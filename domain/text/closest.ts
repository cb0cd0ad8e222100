/** Swapping neighbours counts as one edit. */
function distance(a: string, b: string): number {
  const rows: number[][] = [];
  for (let i = 0; i <= a.length; i += 1) {
    const row: number[] = [];
    for (let j = 0; j <= b.length; j += 1) {
      if (i === 0 || j === 0) {
        row.push(i + j);
        continue;
      }
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, rows[i - 2]![j - 2]! + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

export function closest(word: string, candidates: readonly string[]): string | null {
  const wanted = word.toLowerCase();
  const beginsSo = candidates.filter((candidate) => candidate.toLowerCase().startsWith(wanted));
  if (wanted.length >= 3 && beginsSo.length === 1) return beginsSo[0] ?? null;
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const d = distance(wanted, candidate.toLowerCase());
    if (d < bestDistance) {
      best = candidate;
      bestDistance = d;
    }
  }
  return best;
}

const MOST_LISTED = 12;

/** `a, b, c and 4 more`: a sentence, not a catalogue. */
export function someOf(names: readonly string[]): string {
  const more = names.length - MOST_LISTED;
  return more <= 1 ? names.join(', ') : `${names.slice(0, MOST_LISTED).join(', ')} and ${more} more`;
}

/** `Did you mean x? There are: a, b, x.` */
export function suggestion(word: string, candidates: readonly string[]): string {
  const near = closest(word, candidates);
  const list = candidates.length === 0 ? 'There are none.' : `There are: ${someOf(candidates)}.`;
  return near === null ? list : `Did you mean ${near}? ${list}`;
}
