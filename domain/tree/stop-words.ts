import type { TreeStop } from './budget.js';

/** Why a tree opens no more nodes, for people. */
export const STOP_WORDS: Record<TreeStop, string> = {
  policy: 'the policy opens no more nodes',
  lost: 'the last nodes were all lost',
  nodes: 'it has all its nodes',
  validations: 'its validations are used up',
  cost: 'its dollars are used up',
  tokens: 'its tokens are used up',
  seconds: 'its time is used up',
  budget: "the batch's budget is spent",
};
