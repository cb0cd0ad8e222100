interface Linked {
  node: number;
  parent: number | null;
}

/** Nodes depth first, in the order in which they were opened. */
export function inOrder<Node extends Linked>(
  nodes: readonly Node[],
  parent: number | null = null,
  depth = 0,
): { node: Node; depth: number }[] {
  return nodes
    .filter((node) => node.parent === parent)
    .flatMap((node) => [{ node, depth }, ...inOrder(nodes, node.node, depth + 1)]);
}
