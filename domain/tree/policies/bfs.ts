import { type Choice, draft, goOn, type TreeNode } from '../tree.js';
import { missing, type Policy } from './policy.js';

/** Level by level: each node of one gets the same number of children. */
export const bfs: Policy<'bfs'> = ({ width, depth }, tree) => {
  const drafts = missing(tree, width);
  if (drafts > 0) return Array.from({ length: drafts }, () => draft);
  let level: TreeNode[] = tree.children(null);
  for (let d = 1; d < depth; d += 1) {
    const wanted = level.flatMap((node): Choice[] =>
      Array.from({ length: Math.max(0, width - tree.children(node.index).length) }, () => goOn(node)),
    );
    if (wanted.length > 0) return wanted;
    level = level.flatMap(({ index }) => tree.children(index));
  }
  return [];
};
