/** Attempts of all models in ascending order of their keys, with where equal ones end. */
export interface SortedKeys {
  /** Places in the flattened list of attempts. */
  order: Int32Array;
  /** For each place of `order`, the end of the run of equal keys that it belongs to. */
  ends: Int32Array;
}

export function sortedKeys(keys: Float64Array): SortedKeys {
  const order = new Int32Array(keys.length);
  for (let i = 0; i < order.length; i++) order[i] = i;
  order.sort((a, b) => (keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : 0));
  const ends = new Int32Array(order.length);
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    while (end < order.length && keys[order[end]!] === keys[order[start]!]) end++;
    ends.fill(end, start, end);
    start = end;
  }
  return { order, ends };
}

/**
 * Adds to `wins` (models × models) the chance that an attempt of the row at one task beats one of
 * the column, a tie being half a win; to `meetings` 1 where both ran. `counts`: weight of each
 * attempt; `attempts`: its sum per model, 0 for a model that did not run.
 */
export function addPairWins(
  { order, ends }: SortedKeys,
  owners: Int32Array,
  counts: Float64Array,
  attempts: Float64Array,
  times: number,
  into: { wins: Float64Array; meetings: Float64Array },
): void {
  const models = attempts.length;
  const below = new Float64Array(models);
  const { wins, meetings } = into;
  for (let start = 0; start < order.length;) {
    const end = ends[start]!;
    const equal = new Float64Array(models);
    for (let i = start; i < end; i++) equal[owners[order[i]!]!]! += counts[order[i]!]!;
    for (let model = 0; model < models; model++) {
      const count = equal[model]!;
      if (count === 0) continue;
      const row = model * models;
      const share = (times * count) / attempts[model]!;
      for (let other = 0; other < models; other++)
        if (attempts[other] !== 0)
          wins[row + other]! += (share * (below[other]! + equal[other]! / 2)) / attempts[other]!;
    }
    for (let model = 0; model < models; model++) below[model]! += equal[model]!;
    start = end;
  }
  for (let model = 0; model < models; model++)
    for (let other = 0; other < models; other++)
      if (attempts[model] !== 0 && attempts[other] !== 0) meetings[model * models + other]! += times;
}
