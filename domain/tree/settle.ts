import { UNSCORED_ENDS, type EndReason } from '../run/outcomes.js';
import type { EvaluationStatus } from '../run/run.js';
import type { Direction } from '../run/score.js';
import type { TreeNode } from './tree.js';

/** What is known of a node's run when it has ended. */
export interface EndedNode {
  endReason: EndReason;
  /** Its own ones that were executed: those that it began with are its parent's. */
  steps: number;
  /** Its evaluation, as its agent was shown it; null: none was made. */
  evaluation: {
    status: EvaluationStatus;
    primary: number | null;
    suspect: boolean;
    submissionSha256: string | null;
  } | null;
  /** What its parent submitted. */
  parentSha256: string | null;
}

/** A node's status and value: a submission that equals its parent's is not a new one. */
export function settledAs(node: EndedNode, direction: Direction): Pick<TreeNode, 'status' | 'value'> {
  const { endReason, steps, evaluation } = node;
  const lost = UNSCORED_ENDS.includes(endReason) || steps === 0 || evaluation?.status === 'evaluator_error';
  if (lost) return { status: 'lost', value: null };
  if (
    evaluation?.status !== 'ok' ||
    evaluation.primary === null ||
    evaluation.suspect ||
    (evaluation.submissionSha256 !== null && evaluation.submissionSha256 === node.parentSha256)
  )
    return { status: 'failed', value: null };
  return { status: 'scored', value: direction === 'maximize' ? evaluation.primary : -evaluation.primary };
}
