import { type TreeNode, Tree } from '../../domain/tree/tree.js';

/** One answer in so many names no node, or one that there is not. */
const USELESS = 10;
/** Of the draw of nodes by their scores: mostly the best one, or one near to it. */
const TEMPERATURE = 0.1;

/**
 * What a scientist answers that sees no more than scores: a node drawn by its score, or its newest failed child. What a real model knows beyond
 * them, and what its directions are worth, is not simulated.
 */
export function answered(nodes: readonly TreeNode[], width: number, random: () => number): string {
  const tree = new Tree(nodes);
  const { scored } = tree;
  if (scored.length === 0) return '';
  const weights = scored.map(({ value }) => Math.exp((tree.normalised(value!) - 1) / TEMPERATURE));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Array.from({ length: width }, () => {
    if (random() * USELESS < 1) return `PARENT: node_${nodes.length + 5}`;
    let left = random() * total;
    const node = scored[weights.findIndex((weight) => (left -= weight) < 0)] ?? scored.at(-1)!;
    const last = tree.children(node.index).at(-1);
    const repaired = last?.status === 'failed' && tree.children(last.index).length === 0 ? last : node;
    return `PARENT: node_${repaired.index}\nMake it better.`;
  }).join('\n');
}
