/** Which models differ significantly in the resamples. */
export interface Separation {
  /** All pairs of models. */
  pairs: number;
  /** Those whose difference has an interval of 95 % without zero. */
  resolved: number;
  /**
   * Per model letters of its groups. Neighbours in the order, none of whose pairs is resolved,
   * share a letter: they do not differ significantly.
   */
  groups: string[];
}

/** Sums in another order differ in their last digits. */
const SAME = 1e-12;

/**
 * `values`: what orders the models, more is better; `samples`: the same in each paired resample;
 * `differs`: whether the interval of a difference, from its resamples, excludes zero.
 */
export function separation(
  values: readonly number[],
  samples: readonly Float64Array[],
  differs: (difference: number, samples: Float64Array) => boolean,
): Separation {
  const models = values.length;
  const key = (model: number) => (Number.isNaN(values[model]!) ? -Infinity : values[model]!);
  const order = values.map((_, model) => model).sort((a, b) => (key(a) === key(b) ? a - b : key(b) - key(a)));
  const apart = order.map(() => new Uint8Array(models));
  const difference = new Float64Array(samples[0]?.length ?? 0);
  let resolved = 0;
  for (let above = 0; above < models; above++)
    for (let below = above + 1; below < models; below++) {
      const [a, b] = [order[above]!, order[below]!];
      for (let i = 0; i < difference.length; i++) difference[i] = samples[a]![i]! - samples[b]![i]!;
      if (!differs(values[a]! - values[b]!, difference)) continue;
      apart[above]![below] = 1;
      resolved++;
    }
  const letters = groupsOf(apart);
  const groups = values.map(() => '');
  order.forEach((model, place) => (groups[model] = letters[place]!));
  return { pairs: (models * (models - 1)) / 2, resolved, groups };
}

function groupsOf(apart: readonly Uint8Array[]): string[] {
  const letters = apart.map(() => '');
  let [count, reached] = [0, -1];
  for (let start = 0; start < apart.length; start++) {
    let end = start;
    while (end + 1 < apart.length && apart.slice(start, end + 1).every((row) => row[end + 1] === 0)) end++;
    if (end <= reached) continue;
    const letter = letterOf(count++);
    for (let place = start; place <= end; place++) letters[place] += letter;
    reached = end;
  }
  return letters;
}

/** a to z; then with a number: a1, b1 … */
const letterOf = (count: number): string =>
  String.fromCharCode(97 + (count % 26)) + (count < 26 ? '' : String(Math.floor(count / 26)));

/** Per model the share of resamples in which it is first; equal ones share it. NaN is last. */
export function sharesOfFirst(samples: readonly Float64Array[]): number[] {
  const resamples = samples[0]?.length ?? 0;
  const shares = samples.map(() => 0);
  for (let place = 0; place < resamples; place++) {
    let most = -Infinity;
    for (const values of samples) if (values[place]! > most) most = values[place]!;
    const first = samples.flatMap((values, model) => (!(values[place]! < most - SAME) ? [model] : []));
    for (const model of first) shares[model]! += 1 / first.length;
  }
  return shares.map((share) => share / resamples);
}
