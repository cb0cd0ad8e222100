import type { ExecuteCommandResult, NextActionResult } from '../domain/model/messages.js';
import type { ShownRow } from '../domain/ports/record/steps.js';

/**
 * A slice hands what it has just recorded to the next part of the step, which need not read it.
 * Contents never enter Temporal's payloads: activities drop them.
 */
export type DecidedAction = Pick<ShownRow, 'response' | 'reasoning' | 'modelMs'> & { action: string };

/** `decided`: the action that this call recorded. */
export type TakenTurn = NextActionResult & { decided?: DecidedAction };

/** `shown`: the executed step as its record now has it, where no evaluation can change it. */
export type ExecutedCommand = ExecuteCommandResult & { shown?: ShownRow };
