import { z } from 'zod';

const count = (most: number) => z.number().int().min(1, 'at least 1').max(most, `at most ${most}`);
const share = z.number().min(0).max(1);

/** Of every tree, whatever its policy. */
const common = {
  /** Nodes in all. */
  nodes: count(1000).default(30),
  /** Steps of one node: it ends with its first evaluation, after these at the latest. */
  nodeSteps: count(1000).default(15),
  /** Evaluations on the validation split, one per node; absent: the most nodes. */
  validations: count(1000).optional(),
  /** Nodes that are played at once. */
  parallel: count(64).default(4),
  /** A node opens as soon as another has ended, not when all of its wave have. */
  asynchronous: z.boolean().optional(),
};

/** Of trees with several drafts. */
const branching = {
  /** The last node combines the best of so many drafts; absent: none does. */
  ensemble: z.number().int().min(2, 'at least 2').max(10, 'at most 10').optional(),
};

/** Failed nodes are repaired at the end of a chain of at most so many failures; 0: none. */
const debugDepth = z.number().int().min(0).max(20).default(3);

const policies = [
  z.strictObject({ policy: z.literal('linear'), ...common }),
  z.strictObject({
    policy: z.literal('greedy'),
    ...common,
    ...branching,
    /** Solutions from scratch, before the best is improved. */
    drafts: count(50).default(5),
    debugDepth,
    /** How many of the best nodes are improved at once. */
    width: count(20).default(1),
  }),
  z.strictObject({
    policy: z.literal('mcts'),
    ...common,
    ...branching,
    /** Weight of what was seldom tried. */
    exploration: z.number().min(0).max(100).default(0.25),
    /** Of each node, and of the beginning. */
    children: count(20).default(5),
    debugDepth,
    /** How many leaves are chosen before the first of them is known. */
    width: count(20).default(1),
  }),
  z.strictObject({
    policy: z.literal('evolution'),
    ...common,
    ...branching,
    /** Nodes of a generation; as many of the best may be parents. */
    population: count(50).default(5),
    /** How often a node has two parents, from the third generation on. */
    crossover: share.default(0.5),
    /** Parents are drawn by fitness to the power of its inverse. */
    temperature: z.number().min(0.01).max(100).default(1),
  }),
] as const;

export const SEARCH_POLICIES = policies.map(({ shape }) => shape.policy.value);

export const searchSchema = z.discriminatedUnion('policy', policies, {
  error: ({ code }) => (code === 'invalid_union' ? `expected ${SEARCH_POLICIES.join(' or ')}` : undefined),
});

/** A policy with its options. */
export type SearchSpec = z.infer<typeof searchSchema>;
export type SearchPolicy = SearchSpec['policy'];
export type SpecOf<Policy extends SearchPolicy> = Extract<SearchSpec, { policy: Policy }>;
