import type { ChosenNode, Wave } from '../../model/messages.js';
import type { Question, TreeAccount } from '../../tree/questions.js';

/** What a tree asks its model before its next wave, as turns of its own run. */
interface TreeQuestions {
  questions: { question: Question; try: number }[];
  account: TreeAccount;
  /** Of the tree's run with these questions; null and 0: no limit. */
  costLimitUsd: string | null;
  tokenLimit: number;
}

/** Trees of forks, their nodes, and what they may use. */
export interface Trees {
  /**
   * The nodes of the tree's present wave; when all are settled, those of the next one, with what each may use reserved. None: the tree is
   * over.
   */
  openNodes(treeRunId: string): Promise<Wave>;
  /** What is to be asked before that, and was not answered yet; null: nothing. */
  treeQuestions(treeRunId: string): Promise<TreeQuestions | null>;
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
