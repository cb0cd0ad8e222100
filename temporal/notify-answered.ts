import type { Client } from '@temporalio/client';
import { type AnsweredTurn, SIGNAL } from '../domain/model/messages.js';
import type { TurnKey } from '../domain/ports/player.js';
import { runWorkflowId } from '../domain/run/queues.js';

/** False: the run's workflow is not running, and will find the answer. Rejects during outages. */
export async function notifyAnswered(client: Client, { runId, step, try: requery }: TurnKey): Promise<boolean> {
  try {
    const turn: AnsweredTurn = { step, try: requery };
    await client.workflow.getHandle(runWorkflowId(runId)).signal(SIGNAL.turnAnswered, turn);
    return true;
  } catch (error) {
    // Compared by name: the client's classes are loaded on first use.
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
    throw error;
  }
}
