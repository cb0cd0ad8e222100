import type { Operator, TreeNode } from '../../domain/tree/tree.js';

/**
 * How agents improve solutions: a draft takes an approach with a ceiling, improvements approach it
 * or spoil the draft, some nodes fail, repairs may not help, scores are noisy. The optimum is 1.
 */
export interface World {
  draft: { mean: number; spread: number };
  /** Ceilings are uniform between this and 1. */
  lowestCeiling: number;
  /** How often an improvement succeeds, and its largest share of the way to the ceiling. */
  improves: { probability: number; most: number };
  /** Spread of what a spoilt one loses. */
  spoils: number;
  fails: number;
  repairs: number;
  noise: number;
}

export const WORLDS: Readonly<Record<string, World>> = {
  /** Approaches differ, and half of the nodes fail, like those of small models. */
  rugged: {
    draft: { mean: 0.3, spread: 0.12 },
    lowestCeiling: 0.5,
    improves: { probability: 0.45, most: 0.4 },
    spoils: 0.12,
    fails: 0.5,
    repairs: 0.4,
    noise: 0.02,
  },
  /** Approaches are equal, and few nodes fail: a line loses least here. */
  smooth: {
    draft: { mean: 0.3, spread: 0.05 },
    lowestCeiling: 1,
    improves: { probability: 0.6, most: 0.25 },
    spoils: 0.05,
    fails: 0.15,
    repairs: 0.7,
    noise: 0.02,
  },
  /** Scores say little: the apparent best often is not. */
  noisy: {
    draft: { mean: 0.3, spread: 0.12 },
    lowestCeiling: 0.5,
    improves: { probability: 0.45, most: 0.4 },
    spoils: 0.12,
    fails: 0.3,
    repairs: 0.5,
    noise: 0.1,
  },
};

/** A node's true quality; of a failed one, the base of its repair. */
export interface Truth {
  quality: number;
  ceiling: number;
}

/** Standard normal, by Box and Muller. */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

export function played(
  world: World,
  { operator, parent, secondParent }: { operator: Operator; parent: Truth | null; secondParent: Truth | null },
  random: () => number,
): { truth: Truth; outcome: Pick<TreeNode, 'status' | 'value'> } {
  const failed = random() < (operator === 'debug' ? 1 - world.repairs : world.fails);
  if (failed && parent !== null) return { truth: parent, outcome: { status: 'failed', value: null } };
  const truth = parent === null ? drafted(world, random) : changed(world, parent, secondParent, random);
  if (failed) return { truth, outcome: { status: 'failed', value: null } };
  return { truth, outcome: { status: 'scored', value: truth.quality + world.noise * normal(random) } };
}

function drafted(world: World, random: () => number): Truth {
  const ceiling = world.lowestCeiling + (1 - world.lowestCeiling) * random();
  const quality = world.draft.mean + world.draft.spread * normal(random);
  return { ceiling, quality: Math.min(ceiling, Math.max(0, quality)) };
}

function changed(world: World, parent: Truth, secondParent: Truth | null, random: () => number): Truth {
  // Two approaches combine: the higher ceiling, from the better start.
  const ceiling = secondParent === null ? parent.ceiling : Math.max(parent.ceiling, secondParent.ceiling);
  const from = secondParent === null ? parent.quality : Math.max(parent.quality, secondParent.quality);
  if (random() < world.improves.probability)
    return { ceiling, quality: from + (ceiling - from) * world.improves.most * random() };
  return { ceiling, quality: Math.max(0, from - Math.abs(world.spoils * normal(random))) };
}
