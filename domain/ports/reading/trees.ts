import type { TreeDocument } from '../../views/tree.js';

/** Trees of runs. */
export interface TreeReads {
  /** The search tree that this run plays, or is a node of; null: neither. */
  tree(runId: string): Promise<TreeDocument | null>;
}
