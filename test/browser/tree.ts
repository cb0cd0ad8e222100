import type { Database } from '../../db/index.js';
import { playNode, treeRun } from '../fixtures/tree-rows.js';
import { evaluate, SUBMITTED } from '../fixtures/rows.js';

const DRAFTS = [1.2, null, 2.4];
/** Of what follows, in the order in which it is played. */
const LATER = [2.1, 3.25, null, 3.1, 4.5];

/** An ended tree: drafts, repairs, improvements, a lost node, and the best one, tested. */
export async function storeTree(db: Database): Promise<string> {
  const { runId } = await treeRun(db, { policy: 'greedy', drafts: 3, nodes: 9, parallel: 3, width: 2 });
  const scores = [...DRAFTS, ...LATER];
  for (;;) {
    const { tickets } = await db.store.openNodes(runId);
    if (tickets.length === 0) break;
    for (const { runId: node } of tickets) {
      const score = scores.shift();
      if (score !== undefined) await playNode(db, node, score);
      else {
        await db.store.finishRun(node, { endReason: 'infra_error', finalEvaluation: 'not_run', detail: null });
        await db.store.settleNode(node);
      }
    }
  }
  await db.store.chooseNode(runId);
  const pending = (await db.store.nextHidden(runId))!;
  await evaluate(db, runId, pending.step, 'submit', 4.2, { submissionSha256: pending.submissionSha256 });
  await db.store.closeTree(runId);
  await db.store.finishRun(runId, SUBMITTED);
  return runId;
}
