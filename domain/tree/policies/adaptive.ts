import { debug, draft, improve, type TreeNode, type Tree } from '../tree.js';
import { drawn, missing, type Policy } from './policy.js';

/**
 * A bandit over branches, which are the drafts with what descends from them. A branch is worth its best score and its last improvement, with
 * a bonus if it was seldom tried; one is drawn by softmax, or the one that has just become better is kept to.
 */
export const adaptive: Policy<'adaptive'> = (spec, tree, random) => {
  const first = missing(tree, spec.drafts);
  if (first > 0) return Array.from({ length: first }, () => draft);
  const branches = tree.children(null).map((node) => branchFrom(tree, node));
  const repairs = tree.repairable(spec.debugDepth);
  const repairOf = ({ nodes }: Branch): TreeNode | undefined => repairs.find((node) => nodes.includes(node));
  const alive = branches.filter((branch) => branch.best !== null || repairOf(branch) !== undefined);
  if (alive.length === 0) return [draft];

  const last = tree.nodes.findLast(({ status }) => status !== 'lost');
  const current = alive.find(({ nodes }) => last !== undefined && nodes.includes(last));
  const kept = current !== undefined && current.sinceBetter < spec.commitment && current.nodes.length > 1;
  const total = alive.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const worth = ({ best, trend, nodes }: Branch): number =>
    (best === null ? 0 : tree.normalised(best.value!)) +
    trend +
    spec.exploration * Math.sqrt(Math.log(total) / nodes.length) * SPREAD;
  const worths = alive.map(worth);
  const most = Math.max(...worths);
  const branch = kept
    ? current
    : drawn(
        alive,
        worths.map((one) => Math.exp((one - most) / spec.temperature)),
        random,
      );
  const newest = branch.nodes.at(-1)!;
  const repair = repairOf(branch);
  // The last try failed, or there is nothing else: repair. Else improve its best.
  if (repair !== undefined && (branch.best === null || repair === newest)) return [debug(repair)];
  return [improve(branch.best!)];
};

/** Normalised scores of branches lie closer together than rewards of 0 and 1, for which the weight of 1.41 was made. */
const SPREAD = 0.1;

interface Branch {
  /** In the order in which they were opened. */
  nodes: TreeNode[];
  best: TreeNode | null;
  /** By how much its best score rose last, normalised; 0: it did not rise in its last three nodes. */
  trend: number;
  /** Nodes since its best score rose. */
  sinceBetter: number;
}

function branchFrom(tree: Tree, first: TreeNode): Branch {
  const nodes = tree.below(first).toSorted((a, b) => a.index - b.index);
  let best: TreeNode | null = null;
  let rise = 0;
  let at = 0;
  for (const [place, node] of nodes.entries()) {
    if (node.value === null || (best !== null && node.value <= best.value!)) continue;
    rise = best === null ? 0 : tree.normalised(node.value) - tree.normalised(best.value!);
    best = node;
    at = place;
  }
  const sinceBetter = nodes.length - 1 - at;
  return { nodes, best, trend: sinceBetter < 3 ? rise : 0, sinceBetter };
}
