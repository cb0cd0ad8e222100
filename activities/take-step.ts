import { ApplicationFailure } from '@temporalio/common';
import type { ExecuteCommandArgs, ExecuteCommandResult, NextActionResult, StepActivities } from '../domain/messages.js';
import type { Departure } from '../domain/ports/departure.js';
import { commandTimeLimit } from '../domain/run-clock.js';
import { cancellation, isWorkerShutdown } from './cancellation.js';
import { asFailure } from './interceptors/failures.js';

export interface StepParts {
  /** The host whose sandboxes are here; null: none. */
  hostId: string | null;
  departure: Pick<Departure, 'begun'>;
  nextAction: (args: { runId: string; step: number }, signal: AbortSignal) => Promise<NextActionResult>;
  executeBriefly: (args: ExecuteCommandArgs, signal: AbortSignal) => Promise<ExecuteCommandResult | 'unfinished'>;
}

export function stepActivities({ hostId: here, departure, nextAction, executeBriefly }: StepParts): StepActivities {
  const commandBeside: StepActivities['commandBeside'] = async ({ hostId, ...args }) => {
    // A host that leaves answers on its queue.
    if (hostId !== here || departure.begun) return 'elsewhere';
    const signal = cancellation();
    try {
      return await executeBriefly(args, signal);
    } catch (error) {
      // Retries are the business of the activity on the host's queue.
      if (isWorkerShutdown(signal) || !(signal.aborted || isFinal(error))) return 'unfinished';
      throw error;
    }
  };
  return {
    commandBeside,
    async takeStep({ runId, step, epoch, hostId, ...clock }) {
      const turn = await nextAction({ runId, step }, cancellation());
      if (turn.kind !== 'action') return { turn, command: null, at: Date.now() };
      const elapsedMs = clock.elapsedMs + turn.ms;
      const timeLimitSeconds = commandTimeLimit({ ...clock, elapsedMs }, Date.now());
      const command = await commandBeside({ runId, step, epoch, hostId, timeLimitSeconds });
      return { turn, command, at: Date.now() };
    },
  };
}

function isFinal(error: unknown): boolean {
  const failure = asFailure(error);
  return failure instanceof ApplicationFailure && failure.nonRetryable === true;
}
