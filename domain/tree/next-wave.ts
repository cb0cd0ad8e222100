import { randomIndexes } from '../statistics/random-index.js';
import type { Policy } from './policies/policy.js';
import { evolution } from './policies/evolution.js';
import { greedy } from './policies/greedy.js';
import { linear } from './policies/linear.js';
import { mcts } from './policies/mcts.js';
import type { SearchPolicy, SearchSpec } from './spec.js';
import { type Choice, type TreeNode, Tree } from './tree.js';

const POLICIES: { [Name in SearchPolicy]: Policy<Name> } = { linear, greedy, mcts, evolution };

/** Lost nodes in a row after which a tree gives up: the fault is not its policy's. */
const MOST_LOST = 8;

/**
 * The nodes to open next, at most `room`, to be played at once. None: the search is over, or waits
 * for open nodes. Where earlier nodes have ended, the choice depends on them and the seed, not on
 * the order of their ends.
 */
export function nextWave(spec: SearchSpec, nodes: readonly TreeNode[], seed: number, room: number): Choice[] {
  if (room < 1) return [];
  if (nodes.length >= MOST_LOST && nodes.slice(-MOST_LOST).every(({ status }) => status === 'lost')) return [];
  const below = randomIndexes(seed + 7919 * nodes.length);
  const random = (): number => below(RESOLUTION) / RESOLUTION;
  const policy = POLICIES[spec.policy] as Policy<SearchPolicy>;
  return policy(spec, new Tree(nodes), random).slice(0, room);
}

const RESOLUTION = 1 << 20;
