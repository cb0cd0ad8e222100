import { type Choice, debug, draft, improve } from '../tree.js';
import { missing, type Policy } from './policy.js';

/** AIDE's rule: drafts, then the best is improved; a failed improvement is repaired first. */
export const greedy: Policy<'greedy'> = ({ drafts, debugDepth, width }, tree) => {
  const first = missing(tree, drafts);
  if (first > 0) return Array.from({ length: first }, () => draft);
  const repairs = tree.repairable(debugDepth);
  const busy = new Set(tree.open.flatMap(({ parent }) => (parent === null ? [] : [originOf(parent)])));
  const best = tree.ranked.slice(0, width).filter(({ index }) => !busy.has(index));
  const chosen = best.map((node): Choice => {
    // A chain of repairs belongs to the scored node that it began at.
    const failed = repairs.find((repair) => originOf(repair.index) === node.index);
    return failed === undefined ? improve(node) : debug(failed);
  });
  if (chosen.length > 0 || tree.open.length > 0) return chosen;
  const [newest] = repairs;
  return [newest === undefined ? draft : debug(newest)];

  function originOf(index: number): number | null {
    const { status, parent } = tree.nodes[index]!;
    if (status === 'scored') return index;
    return parent === null ? null : originOf(parent);
  }
};
