import type { ChosenNode, Wave } from '../../model/messages.js';

export interface Trees {
  /** The present wave's nodes; when all are settled, the next wave's. None: the tree is over. */
  openNodes(treeRunId: string): Promise<Wave>;
  /** The run of a node has ended: what came of it, and what it used in place of what was reserved. */
  settleNode(nodeRunId: string): Promise<void>;
  /** The tree's run gets the best node's steps and submission. `chosen` false: no score. */
  chooseNode(treeRunId: string): Promise<ChosenNode>;
  /** Unfinished nodes, stopped or not started, end as cancelled; the tree opens no more. */
  closeTree(treeRunId: string): Promise<void>;
}
