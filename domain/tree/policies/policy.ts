import type { SearchPolicy, SpecOf } from '../spec.js';
import type { Choice, Tree } from '../tree.js';

/** A rule that chooses the next nodes. `random`: from 0 to 1, not 1 itself. */
export type Policy<Name extends SearchPolicy> = (spec: SpecOf<Name>, tree: Tree, random: () => number) => Choice[];

/** One of `items`, each as likely as its weight says; weights are not all 0. */
export function drawn<Item>(items: readonly Item[], weights: readonly number[], random: () => number): Item {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = random() * total;
  const index = weights.findIndex((weight) => (left -= weight) < 0);
  // Rounding may leave a little after the last one.
  return items[index === -1 ? weights.findLastIndex((weight) => weight > 0) : index]!;
}

/** As many drafts as are still to be made; those that came to nothing are made again. */
export const missing = (tree: Tree, wanted: number): number => Math.max(0, wanted - tree.children(null).length);
