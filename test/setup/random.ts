/** Uniform in [0, 1): the minimal standard generator, so that a failing seed can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed + 1;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

export const pick = <T>(random: () => number, from: readonly T[]): T => {
  const chosen = from[Math.floor(random() * from.length)];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
};
