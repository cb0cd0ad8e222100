import { inOrder } from '../../../domain/tree/in-order.js';
import type { Answer } from '../../api/index.js';

export type Tree = Answer<'tree'>;
export type Node = Tree['nodes'][number];

export interface Placed {
  node: Node;
  depth: number;
  /** In rows: of a node with children, the middle of theirs. */
  row: number;
}

/** Where each node stands: generations from left to right, a row for each that nothing follows. */
export function layOut(nodes: readonly Node[]): { placed: Map<number, Placed>; rows: number; columns: number } {
  const placed = new Map<number, Placed>();
  const children = new Map<number | null, Node[]>();
  for (const node of nodes) children.set(node.parent, [...(children.get(node.parent) ?? []), node]);
  const ordered = inOrder(nodes);
  let rows = 0;
  for (const { node, depth } of ordered)
    placed.set(node.node, { node, depth, row: children.has(node.node) ? 0 : rows++ });
  // Children come after their parent, so the last ones are settled first.
  for (const { node } of ordered.toReversed()) {
    const below = children.get(node.node);
    if (below === undefined) continue;
    const [first, last] = [placed.get(below[0]!.node)!, placed.get(below.at(-1)!.node)!];
    placed.get(node.node)!.row = (first.row + last.row) / 2;
  }
  return { placed, rows, columns: 1 + ordered.reduce((most, { depth }) => Math.max(most, depth), 0) };
}

/** The nodes from the beginning to the one that the tree stands for. */
export function lineOf({ nodes, selectedNode }: Pick<Tree, 'nodes' | 'selectedNode'>): Set<number> {
  const line = new Set<number>();
  for (let at = selectedNode; at !== null; at = nodes.find(({ node }) => node === at)?.parent ?? null) line.add(at);
  return line;
}
