import type { ChosenNode, Wave } from '../../model/messages.js';

export interface Trees {
  /** The present wave's nodes; when all are settled, the next wave's. None: the tree is over. */
  openNodes(treeRunId: string): Promise<Wave>;
  /** Stores the outcome of a node's run, and replaces the reservation by what the run used. */
  settleNode(nodeRunId: string): Promise<void>;
  /** The tree's run gets the best node's steps and submission. `chosen` false: no score. */
  chooseNode(treeRunId: string): Promise<ChosenNode>;
  /** Unfinished nodes, stopped or not started, end as cancelled; the tree opens no more. */
  closeTree(treeRunId: string): Promise<void>;
}
