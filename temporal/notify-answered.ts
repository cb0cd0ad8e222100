import type { Client } from '@temporalio/client';
import { type AnsweredTurn, SIGNAL } from '../domain/model/messages.js';
import type { TurnKey } from '../domain/ports/player.js';
import { runWorkflowId } from '../domain/run/queues.js';

/**
 * Wake the run that waits for this turn's answer. False: its workflow is not running, and will find the answer when it does.
 * Rejects when the server does not answer.
 */
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
