import type { ChosenNode, Wave } from '../../model/messages.js';

/** Trees of forks, their nodes, and what they may use. */
export interface Trees {
  /**
   * The nodes of the tree's present wave; when all are settled, those of the next one, with what each may use reserved. None: the tree is
   * over.
   */
  openNodes(treeRunId: string): Promise<Wave>;
  /** The run of a node has ended: what came of it, and what it used in place of what was reserved. */
  settleNode(nodeRunId: string): Promise<void>;
  /**
   * The tree stands for its best node: that one's steps and submission become those of the tree's run, to be tested once. `chosen`
   * false: no node has a score.
   */
  chooseNode(treeRunId: string): Promise<ChosenNode>;
  /** Nodes that have not ended were stopped, or never started: they end as cancelled, and the tree opens no more. */
  closeTree(treeRunId: string): Promise<void>;
}
