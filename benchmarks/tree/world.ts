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
  /** Between what two drafts' solutions lack of the optimum; at 1 an ensemble gains nothing. */
  correlation: number;
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
    correlation: 0.7,
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
    correlation: 0.9,
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
    correlation: 0.7,
  },
};

/**
 * How drafts find their approach. `independent`: each has one of its own, the worlds' own
 * assumption. The others choose among APPROACHES, of which a model prefers the first ones: `blind`
 * drafts do not know of each other; `informed` ones take none that a sibling took; at `zero`
 * temperature all are the same.
 */
export type Drafting = 'independent' | 'blind' | 'informed' | 'zero';

const APPROACHES = 6;
/** Each approach is half as likely as the one before. */
const PREFERENCE = 0.5;

/** Chooses an approach, from 0; `taken`: those of the drafts so far. */
function approachOf(drafting: Drafting, taken: readonly number[], random: () => number): number {
  if (drafting === 'zero') return 0;
  const all = Array.from({ length: APPROACHES }, (_, approach) => approach);
  const left = drafting === 'informed' ? all.filter((approach) => !taken.includes(approach)) : all;
  const among = left.length === 0 ? all : left;
  const total = among.reduce((sum, approach) => sum + PREFERENCE ** approach, 0);
  let rest = random() * total;
  return among.find((approach) => (rest -= PREFERENCE ** approach) < 0) ?? among.at(-1)!;
}

/**
 * The drafts of one task. Its approaches have ceilings of their own, and half of the variance of
 * what drafts come to is their approach's.
 */
export function drafter(
  world: World,
  drafting: Drafting,
  { ofTask, random }: { ofTask: () => number; random: () => number },
): () => Truth {
  const approaches = Array.from({ length: APPROACHES }, () => ({
    ceiling: world.lowestCeiling + (1 - world.lowestCeiling) * ofTask(),
    suits: normal(ofTask),
    first: normal(ofTask),
  }));
  const taken: number[] = [];
  return () => {
    const approach = approachOf(drafting, taken, random);
    taken.push(approach);
    const { ceiling, suits, first } = approaches[approach]!;
    const own = drafting === 'zero' ? first : normal(random);
    const quality = world.draft.mean + world.draft.spread * Math.SQRT1_2 * (suits + own);
    return { ceiling, quality: Math.min(ceiling, Math.max(0, quality)) };
  };
}

/** A node's true quality; of a failed one, the base of its repair. */
export interface Truth {
  quality: number;
  ceiling: number;
}

/** Standard normal, by Box and Muller. */
export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** What a node comes from, and of an ensemble the others that it combines. */
export interface Origins {
  operator: Operator;
  parent: Truth | null;
  secondParent: Truth | null;
  more?: readonly Truth[];
}

export function played(
  world: World,
  { operator, parent, secondParent, more = [] }: Origins,
  random: () => number,
  fresh: () => Truth = () => drafted(world, random),
): { truth: Truth; outcome: Pick<TreeNode, 'status' | 'value'> } {
  const failed = random() < (operator === 'debug' ? 1 - world.repairs : world.fails);
  if (failed && parent !== null) return { truth: parent, outcome: { status: 'failed', value: null } };
  const change = (from: Truth): Truth =>
    operator === 'ensemble' && secondParent !== null
      ? combined(world, [from, secondParent, ...more])
      : changed(world, from, secondParent, random);
  const truth = parent === null ? fresh() : change(parent);
  if (failed) return { truth, outcome: { status: 'failed', value: null } };
  return { truth, outcome: { status: 'scored', value: truth.quality + world.noise * normal(random) } };
}

function drafted(world: World, random: () => number): Truth {
  const ceiling = world.lowestCeiling + (1 - world.lowestCeiling) * random();
  const quality = world.draft.mean + world.draft.spread * normal(random);
  return { ceiling, quality: Math.min(ceiling, Math.max(0, quality)) };
}

/**
 * What is lacking of the optimum is an error: the variance of the mean of n with equal variance v
 * and correlation r is v (r + (1 - r) / n). Members that lack more than the best make it worse.
 */
function combined({ correlation }: World, members: readonly Truth[]): Truth {
  const lacks = members.reduce((sum, { quality }) => sum + 1 - quality, 0) / members.length;
  const quality = 1 - lacks * (correlation + (1 - correlation) / members.length);
  return { quality, ceiling: Math.max(quality, ...members.map(({ ceiling }) => ceiling)) };
}

function changed(world: World, parent: Truth, secondParent: Truth | null, random: () => number): Truth {
  // Two approaches combine: the higher ceiling, from the better start.
  const ceiling = secondParent === null ? parent.ceiling : Math.max(parent.ceiling, secondParent.ceiling);
  const from = secondParent === null ? parent.quality : Math.max(parent.quality, secondParent.quality);
  if (random() < world.improves.probability)
    return { ceiling, quality: from + (ceiling - from) * world.improves.most * random() };
  return { ceiling, quality: Math.max(0, from - Math.abs(world.spoils * normal(random))) };
}
