import { type Choice, draft, goOn, type TreeNode } from '../tree.js';
import { missing, type Policy } from './policy.js';

/** What is known below a node, with those that were chosen in this wave and are not known yet. */
interface Below {
  visits: number;
  mean: number;
}

/**
 * Upper confidence bounds for trees: descend to the child with the best mean below it plus a bonus
 * for few tries, until a node has room for a child. Means are scaled between the tree's worst and
 * best score; a failure counts as the worst, and is repaired first.
 */
export const mcts: Policy<'mcts'> = ({ exploration, children, debugDepth, width }, tree) => {
  const first = missing(tree, children);
  if (first > 0) return Array.from({ length: first }, () => draft);
  const repairable = new Set(tree.repairable(debugDepth).map(({ index }) => index));
  /** By node: chosen for it, or below it, in this wave. */
  const pending = new Map<number, number>();
  const given = new Map<number, number>();

  const known = (node: TreeNode): Below => {
    const values = tree.below(node).map(({ value }) => (value === null ? 0 : tree.normalised(value)));
    const waiting = pending.get(node.index) ?? 0;
    // One that is waited for counts as a failure, so that the next of this wave looks elsewhere.
    const visits = values.length + waiting;
    return { visits, mean: values.reduce((sum, value) => sum + value, 0) / visits };
  };
  const hasRoom = (node: TreeNode): boolean =>
    node.status === 'scored' && tree.children(node.index).length + (given.get(node.index) ?? 0) < children;
  /** Is there anything to do at a node or below it? */
  const isAlive = (node: TreeNode): boolean =>
    hasRoom(node) || canRepair(node) || tree.children(node.index).some((child) => isAlive(child));
  const canRepair = (node: TreeNode): boolean => repairable.has(node.index) && !given.has(node.index);

  /** From the beginning to the node that gets a child; null: there is none. */
  const descend = (): TreeNode[] | null => {
    const path: TreeNode[] = [];
    let among = tree.children(null);
    for (;;) {
      const alive = among.filter((node) => isAlive(node));
      const stands = alive.map((node) => ({ node, ...known(node) }));
      const total = stands.reduce((sum, { visits }) => sum + visits, 0);
      const worth = ({ mean, visits }: Below): number => mean + exploration * Math.sqrt(Math.log(total) / visits);
      const best = stands.toSorted((a, b) => worth(b) - worth(a) || a.node.index - b.node.index)[0]?.node;
      if (best === undefined) return null;
      path.push(best);
      const failed = tree.children(best.index).find((child) => canRepair(child));
      if (failed !== undefined) return [...path, failed];
      if (hasRoom(best) || canRepair(best)) return path;
      among = tree.children(best.index);
    }
  };

  const underWay = tree.open.filter(({ parent }) => parent !== null).length;
  return Array.from({ length: Math.max(0, width - underWay) }).flatMap((): Choice[] => {
    const path = descend();
    const node = path?.at(-1);
    if (path === null || node === undefined) return [];
    for (const { index } of path) pending.set(index, (pending.get(index) ?? 0) + 1);
    given.set(node.index, (given.get(node.index) ?? 0) + 1);
    return [goOn(node)];
  });
};
