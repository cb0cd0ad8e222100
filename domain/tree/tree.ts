/**
 * `draft`: from the task's own files · `improve`: from a scored node · `debug`: from one without a
 * score · `crossover`: from one node, with the work of another in the prompt · `ensemble`: from the
 * best node, with the work of the best of other drafts in the prompt.
 */
export const OPERATORS = ['draft', 'improve', 'debug', 'crossover', 'ensemble'] as const;
export type Operator = (typeof OPERATORS)[number];

/**
 * `open`: not known yet · `scored` · `failed`: took steps, but its submission has no score or is
 * its parent's · `lost`: nothing to continue from.
 */
export const NODE_STATUSES = ['open', 'scored', 'failed', 'lost'] as const;
type NodeStatus = (typeof NODE_STATUSES)[number];

/** A node to open. */
export interface Choice {
  operator: Operator;
  /** The node that it continues; null: a draft. */
  parent: number | null;
  /** Of a crossover, the other one; of an ensemble, the best of the others. */
  secondParent: number | null;
  /** Of an ensemble, the others after the second parent. */
  more?: readonly number[];
}

export interface TreeNode extends Choice {
  /** Its place in the order in which nodes were opened, from 0. */
  index: number;
  status: NodeStatus;
  /** On the validation split, higher is better whatever the task's direction; null: none. */
  value: number | null;
}

export const draft: Choice = { operator: 'draft', parent: null, secondParent: null };
export const improve = ({ index }: TreeNode): Choice => ({ operator: 'improve', parent: index, secondParent: null });
export const debug = ({ index }: TreeNode): Choice => ({ operator: 'debug', parent: index, secondParent: null });
/** What a node calls for: an improvement, or a repair. */
export const goOn = (node: TreeNode): Choice => (node.status === 'failed' ? debug(node) : improve(node));

/** The nodes of a tree, by the order in which they were opened. */
export class Tree {
  constructor(readonly nodes: readonly TreeNode[]) {}

  get scored(): TreeNode[] {
    return this.nodes.filter(({ status }) => status === 'scored');
  }

  get open(): TreeNode[] {
    return this.nodes.filter(({ status }) => status === 'open');
  }

  /** Best first; of equal ones the earliest. */
  get ranked(): TreeNode[] {
    return this.scored.toSorted((a, b) => b.value! - a.value! || a.index - b.index);
  }

  /** The node that the tree stands for. */
  get best(): TreeNode | null {
    return this.ranked[0] ?? null;
  }

  /** The best node of each draft and its descendants, best first. */
  get bestOfDrafts(): TreeNode[] {
    const found = new Map<number, TreeNode>();
    for (const node of this.ranked) {
      const draft = this.#draftOf(node);
      if (!found.has(draft)) found.set(draft, node);
    }
    return [...found.values()];
  }

  #draftOf({ index, parent }: TreeNode): number {
    return parent === null ? index : this.#draftOf(this.nodes[parent]!);
  }

  /** Nodes that go on from one, or begin the tree (null), but for those that came to nothing. */
  children(parent: number | null): TreeNode[] {
    return this.nodes.filter((node) => node.parent === parent && node.status !== 'lost');
  }

  /** From one node on, and all that descends from it. */
  below(node: TreeNode): TreeNode[] {
    return [node, ...this.children(node.index).flatMap((child) => this.below(child))];
  }

  /** Failures in a row that end in this node. */
  failuresUpTo(node: TreeNode | undefined): number {
    if (node?.status !== 'failed') return 0;
    return 1 + (node.parent === null ? 0 : this.failuresUpTo(this.nodes[node.parent]));
  }

  /** Failed nodes that may be repaired, and were not yet; newest first. */
  repairable(debugDepth: number): TreeNode[] {
    return this.nodes
      .filter(
        (node) =>
          node.status === 'failed' &&
          this.failuresUpTo(node) <= debugDepth &&
          this.nodes.every(({ parent }) => parent !== node.index),
      )
      .toReversed();
  }

  /** Where a value lies between the worst (0) and the best (1) of the tree. */
  normalised(value: number): number {
    const values = this.scored.map((node) => node.value!);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return most > least ? (value - least) / (most - least) : 0.5;
  }
}
