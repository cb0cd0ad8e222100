import type { Operator, TreeNode } from '../../domain/tree/tree.js';

/**
 * A model of how agents improve solutions. A draft takes an approach, which has a ceiling; improvements move it towards that ceiling, or
 * spoil it; some nodes fail, and a repair may not help. Validation scores are noisy. The optimum is 1.
 */
export interface World {
  /** Quality of drafts: mean and spread. */
  draft: { mean: number; spread: number };
  /** Ceilings lie between this and 1, evenly. */
  lowestCeiling: number;
  /** How often an improvement is one, and the most of the way to the ceiling that it takes. */
  improves: { probability: number; most: number };
  /** Spread of what a spoilt one loses. */
  spoils: number;
  fails: number;
  /** How often a repair works. */
  repairs: number;
  /** Standard deviation of a validation score. */
  noise: number;
}

export const WORLDS: Readonly<Record<string, World>> = {
  /** Approaches differ, half of the nodes fail, as those of small models do. */
  rugged: {
    draft: { mean: 0.3, spread: 0.12 },
    lowestCeiling: 0.5,
    improves: { probability: 0.45, most: 0.4 },
    spoils: 0.12,
    fails: 0.5,
    repairs: 0.4,
    noise: 0.02,
  },
  /** One approach is as good as another, and few nodes fail: a line loses least here. */
  smooth: {
    draft: { mean: 0.3, spread: 0.05 },
    lowestCeiling: 1,
    improves: { probability: 0.6, most: 0.25 },
    spoils: 0.05,
    fails: 0.15,
    repairs: 0.7,
    noise: 0.02,
  },
  /** Scores say little: what looks best often is not. */
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

/** What a node really has; of a failed one, what a repair goes on from. */
export interface Truth {
  quality: number;
  ceiling: number;
}

/** Standard normal, of two even draws. */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Draw one node of a world. */
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
  // Of two approaches the better part of each may be had: the higher ceiling, from the better beginning.
  const ceiling = secondParent === null ? parent.ceiling : Math.max(parent.ceiling, secondParent.ceiling);
  const from = secondParent === null ? parent.quality : Math.max(parent.quality, secondParent.quality);
  if (random() < world.improves.probability)
    return { ceiling, quality: from + (ceiling - from) * world.improves.most * random() };
  return { ceiling, quality: Math.max(0, from - Math.abs(world.spoils * normal(random))) };
}
