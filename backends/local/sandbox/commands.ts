import { InfrastructureError, SupervisorAway } from '../../../domain/errors.js';
import type {
  CommandOutcome,
  ExecResult,
  SandboxCommand,
  SandboxExec,
  SandboxRef,
} from '../../../domain/ports/sandbox-port.js';
import { runExec as askForExec, stopExec as askForStop } from '../../shell/exec-client.js';
import { interruptCommand, printedBy, runCommand } from '../../shell/shell-client.js';
import { controlOf, requireSandbox, type SandboxContext } from './context.js';
import { wake } from './wake.js';

const MOST_TRIES = 3;

export const run = (
  context: SandboxContext,
  ref: SandboxRef,
  command: SandboxCommand,
  signal: AbortSignal,
): Promise<CommandOutcome> => withSupervisor(context, ref, () => runCommand(controlOf(context, ref), command, signal));

export const runExec = (
  context: SandboxContext,
  ref: SandboxRef,
  exec: SandboxExec,
  signal: AbortSignal,
): Promise<ExecResult> => withSupervisor(context, ref, () => askForExec(controlOf(context, ref), exec, signal));

async function withSupervisor<T>(context: SandboxContext, ref: SandboxRef, work: () => Promise<T>): Promise<T> {
  const control = controlOf(context, ref);
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
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

export const stopExec = (context: SandboxContext, ref: SandboxRef, key: string): Promise<void> =>
  askForStop(controlOf(context, ref), key).catch(unlessAway);

/** Without a supervisor nothing runs. */
function unlessAway(error: unknown): undefined {
  if (!(error instanceof SupervisorAway)) throw error;
}
