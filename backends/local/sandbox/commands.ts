import { InfrastructureError } from '../../../domain/errors.js';
import type { CommandOutcome, SandboxCommand, SandboxRef } from '../../../domain/ports/sandbox-port.js';
import { interruptCommand, printedBy, runCommand, SupervisorAway } from '../../shell/shell-client.js';
import { controlOf, requireSandbox, type SandboxContext } from './context.js';
import { wake } from './wake.js';

const MOST_TRIES = 3;

export async function run(
  context: SandboxContext,
  ref: SandboxRef,
  command: SandboxCommand,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const control = controlOf(context, ref);
  for (let attempt = 1; ; attempt++) {
    try {
      return await runCommand(control, command, signal);
    } catch (error) {
      if (!(error instanceof SupervisorAway)) throw error;
      if (attempt === MOST_TRIES) throw new InfrastructureError(`run ${ref.runId}: ${error.message}`, { cause: error });
      await requireSandbox(control, ref);
      await wake(context, ref);
    }
  }
}

export const interrupt = (context: SandboxContext, ref: SandboxRef, n: number): Promise<void> =>
  interruptCommand(controlOf(context, ref), n).catch(unlessAway);

export const printed = (context: SandboxContext, ref: SandboxRef, n: number): Promise<string> =>
  printedBy(controlOf(context, ref), n).catch((error: unknown) => unlessAway(error) ?? '');

/** Without a supervisor nothing runs. */
function unlessAway(error: unknown): undefined {
  if (!(error instanceof SupervisorAway)) throw error;
}
