import { type Choice, draft, goOn } from '../tree.js';
import { greedy } from './greedy.js';
import { missing, type Policy } from './policy.js';

/**
 * A model that is shown the whole tree names the nodes to go on from, and says in which direction. A node that there is not, or that led to
 * nothing, is passed over; where none is left, greedy chooses.
 */
export const scientist: Policy<'scientist'> = ({ drafts, width, debugDepth, ...common }, tree, random, directions) => {
  const first = missing(tree, drafts);
  if (first > 0) return Array.from({ length: first }, () => draft);
  const named = directions.slice(0, width).flatMap(({ node, text }): Choice[] => {
    if (node === null) return [draft];
    const parent = tree.nodes[node];
    return parent === undefined || !['scored', 'failed'].includes(parent.status)
      ? []
      : [{ ...goOn(parent), direction: text }];
  });
  if (named.length > 0) return named;
  return greedy({ ...common, policy: 'greedy', drafts, debugDepth, width: 1 }, tree, random, []);
};
