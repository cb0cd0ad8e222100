import type { TreeDocument } from '../../views/tree.js';

export interface TreeReads {
  /** The search tree that this run plays or is a node of. */
  tree(runId: string): Promise<TreeDocument | null>;
}
