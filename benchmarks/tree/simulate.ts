import { nextWave } from '../../domain/tree/next-wave.js';
import { searchSchema, type SearchPolicy, type SearchSpec } from '../../domain/tree/spec.js';
import { type TreeNode, Tree } from '../../domain/tree/tree.js';
import { randomIndexes } from '../../domain/statistics/random-index.js';
import { drafter, type Drafting, normal, played, type Truth, type World } from './world.js';

const RESOLUTION = 1 << 20;

const uniform = (seed: number): (() => number) => {
  const below = randomIndexes(seed);
  return () => below(RESOLUTION) / RESOLUTION;
};

/** Grows a tree; true quality of its best node by validation (0: none). */
export function simulated(
  world: World,
  spec: SearchSpec,
  seed: number,
  drafting: Drafting = 'independent',
): { quality: number; nodes: TreeNode[] } {
  const random = uniform(seed * 31 + 17);
  const draftOf = drafter(world, drafting, { ofTask: uniform(seed * 131 + 7), random: uniform(seed * 57 + 3) });
  const nodes: TreeNode[] = [];
  const truths: Truth[] = [];
  for (;;) {
    const left = spec.nodes - nodes.length;
    const wave = nextWave(spec, nodes, seed, { room: left, left });
    if (wave.length === 0) break;
    for (const choice of wave) {
      const of = (index: number | null): Truth | null => (index === null ? null : truths[index]!);
      const { truth, outcome } = played(
        world,
        {
          ...{ operator: choice.operator, parent: of(choice.parent), secondParent: of(choice.secondParent) },
          more: (choice.more ?? []).map((index) => of(index)!),
        },
        random,
        drafting === 'independent' ? undefined : draftOf,
      );
      nodes.push({ ...choice, ...outcome, index: nodes.length });
      truths.push(truth);
    }
  }
  const { best } = new Tree(nodes);
  return { quality: best === null ? 0 : truths[best.index]!.quality, nodes };
}

export interface DraftingFigures {
  policy: SearchPolicy;
  drafts: Drafting;
  mean: number;
  standardError: number;
  /** Over blind drafts on the same seeds: mean difference, and its number of standard errors. */
  gain: number;
  gainInErrors: number;
}

/** Ways to draft at the same number of nodes and on the same seeds. */
export function compareDrafting(
  world: World,
  policies: readonly SearchPolicy[],
  { nodes, seeds }: { nodes: number; seeds: number },
): DraftingFigures[] {
  return policies.flatMap((policy) => {
    const spec = searchSchema.parse({ policy, nodes });
    const qualities = (drafting: Drafting): number[] =>
      Array.from({ length: seeds }, (_, seed) => simulated(world, spec, seed + 1, drafting).quality);
    const blind = qualities('blind');
    return (['blind', 'informed', 'zero'] as const).map((drafts) => {
      const own = qualities(drafts);
      const gains = meanAndError(own.map((quality, nth) => quality - blind[nth]!));
      const { mean, error } = meanAndError(own);
      return {
        ...{ policy, drafts, mean, standardError: error, gain: gains.mean },
        gainInErrors: gains.error === 0 ? 0 : gains.mean / gains.error,
      };
    });
  });
}

export interface EnsembleFigures {
  policy: SearchPolicy;
  /** Drafts whose best the last node combines; 0: it is the policy's. */
  combines: number;
  mean: number;
  standardError: number;
  /** Over none on the same seeds: mean difference, and its number of standard errors. */
  gain: number;
  gainInErrors: number;
}

/** With and without an ensemble as the last node, at equally many nodes and on the same seeds. */
export function compareEnsembles(
  world: World,
  policies: readonly SearchPolicy[],
  { nodes, seeds }: { nodes: number; seeds: number },
): EnsembleFigures[] {
  return policies.flatMap((policy) => {
    const qualities = (combines: number): number[] => {
      const spec = searchSchema.parse({ policy, nodes, ...(combines > 0 && { ensemble: combines }) });
      return Array.from({ length: seeds }, (_, seed) => simulated(world, spec, seed + 1).quality);
    };
    const without = qualities(0);
    return [0, 2, 3, 5].map((combines) => {
      const own = combines === 0 ? without : qualities(combines);
      const { mean, error } = meanAndError(own);
      const gains = meanAndError(own.map((quality, nth) => quality - without[nth]!));
      return {
        ...{ policy, combines, mean, standardError: error, gain: gains.mean },
        gainInErrors: gains.error === 0 ? 0 : gains.mean / gains.error,
      };
    });
  });
}

export interface ExpansionFigures {
  policy: SearchPolicy;
  expansion: 'waves' | 'asynchronous';
  /** Of the chosen node. */
  mean: number;
  standardError: number;
  /** Until the last node ends, in mean durations of a node. */
  time: number;
}

/** Spread of the logarithm of nodes' durations. */
const DURATIONS = 0.8;

/** Grows a tree in which nodes take their time, `spec.parallel` at once. */
function grown(world: World, spec: SearchSpec, seed: number): { quality: number; time: number } {
  const random = uniform(seed * 31 + 17);
  const duration = uniform(seed * 43 + 5);
  const nodes: TreeNode[] = [];
  const truths: Truth[] = [];
  const open: { index: number; ends: number; outcome: Pick<TreeNode, 'status' | 'value'> }[] = [];
  for (let now = 0; ;) {
    const waits = spec.asynchronous !== true && open.length > 0;
    const left = spec.nodes - nodes.length;
    const room = Math.min(left, spec.parallel - open.length);
    for (const choice of waits ? [] : nextWave(spec, nodes, seed, { room, left })) {
      const of = (index: number | null): Truth | null => (index === null ? null : truths[index]!);
      const parents = { parent: of(choice.parent), secondParent: of(choice.secondParent) };
      const { truth, outcome } = played(world, { operator: choice.operator, ...parents }, random);
      const ends = now + Math.exp(DURATIONS * normal(duration) - DURATIONS ** 2 / 2);
      open.push({ index: nodes.length, ends, outcome });
      nodes.push({ ...choice, index: nodes.length, status: 'open', value: null });
      truths.push(truth);
    }
    const next = open.toSorted((a, b) => a.ends - b.ends)[0];
    if (next === undefined) {
      const { best } = new Tree(nodes);
      return { quality: best === null ? 0 : truths[best.index]!.quality, time: now };
    }
    now = next.ends;
    open.splice(open.indexOf(next), 1);
    Object.assign(nodes[next.index]!, next.outcome);
  }
}

/** Waves and asynchronous expansion of four nodes at once, at the same number of nodes. */
export function compareExpansion(
  world: World,
  policies: readonly SearchPolicy[],
  { nodes, seeds }: { nodes: number; seeds: number },
): ExpansionFigures[] {
  return policies.flatMap((policy) =>
    [false, true].map((asynchronous): ExpansionFigures => {
      const wide = policy === 'greedy' || policy === 'mcts' ? { width: 4 } : {};
      const spec = searchSchema.parse({ policy, nodes, asynchronous, ...wide });
      const trees = Array.from({ length: seeds }, (_, seed) => grown(world, spec, seed + 1));
      const { mean, error } = meanAndError(trees.map(({ quality }) => quality));
      const time = meanAndError(trees.map((one) => one.time)).mean;
      return { policy, expansion: asynchronous ? 'asynchronous' : 'waves', mean, standardError: error, time };
    }),
  );
}

export interface PolicyFigures {
  policy: SearchPolicy;
  /** Quality of the chosen node, mean over seeds. */
  mean: number;
  standardError: number;
  /** Over linear on the same seeds: mean difference, and its number of standard errors. */
  gain: number;
  gainInErrors: number;
}

/** Each policy with its defaults, at the same number of nodes and on the same seeds. */
export function comparePolicies(
  world: World,
  policies: readonly SearchPolicy[],
  { nodes, seeds }: { nodes: number; seeds: number },
): PolicyFigures[] {
  const qualities = (policy: SearchPolicy): number[] => {
    const spec = searchSchema.parse({ policy, nodes });
    return Array.from({ length: seeds }, (_, seed) => simulated(world, spec, seed + 1).quality);
  };
  const line = qualities('linear');
  return policies.map((policy) => {
    const own = qualities(policy);
    const gains = meanAndError(own.map((quality, nth) => quality - line[nth]!));
    const { mean, error } = meanAndError(own);
    return {
      policy,
      mean,
      standardError: error,
      gain: gains.mean,
      gainInErrors: gains.error === 0 ? 0 : gains.mean / gains.error,
    };
  });
}

function meanAndError(values: readonly number[]): { mean: number; error: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) };
}
