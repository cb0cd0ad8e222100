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
 * The nodes to open next, at most `room`, to be played at once; `left`: how many the tree may still
 * open, the last of which may be kept for an ensemble. None: the search is over, or waits
 * for open nodes. Where earlier nodes have ended, the choice depends on them and the seed, not on
 * the order of their ends.
 */
export function nextWave(
  spec: SearchSpec,
  nodes: readonly TreeNode[],
  seed: number,
  { room, left }: { room: number; left: number },
): Choice[] {
  if (room < 1) return [];
  if (nodes.length >= MOST_LOST && nodes.slice(-MOST_LOST).every(({ status }) => status === 'lost')) return [];
  const below = randomIndexes(seed + 7919 * nodes.length);
  const random = (): number => below(RESOLUTION) / RESOLUTION;
  const policy = POLICIES[spec.policy] as Policy<SearchPolicy>;
  const tree = new Tree(nodes);
  const kept = keepsLast(spec, tree) ? 1 : 0;
  const chosen = left > kept ? policy(spec, tree, random).slice(0, Math.min(room, left - kept)) : [];
  if (chosen.length > 0 || kept === 0 || tree.open.length > 0) return chosen;
  const last = ensembleOf(spec, tree);
  // Nothing to combine: the policy has the last node, too.
  return last === null ? policy(spec, tree, random).slice(0, room) : [last];
}

const keepsLast = (spec: SearchSpec, tree: Tree): boolean =>
  mostCombined(spec) > 0 && tree.nodes.every(({ operator, status }) => operator !== 'ensemble' || status === 'lost');

const mostCombined = (spec: SearchSpec): number => (spec.policy === 'linear' ? 0 : (spec.ensemble ?? 0));

function ensembleOf(spec: SearchSpec, tree: Tree): Choice | null {
  const [best, second, ...more] = tree.bestOfDrafts.slice(0, mostCombined(spec)).map(({ index }) => index);
  if (best === undefined || second === undefined) return null;
  return { operator: 'ensemble', parent: best, secondParent: second, more };
}

const RESOLUTION = 1 << 20;
