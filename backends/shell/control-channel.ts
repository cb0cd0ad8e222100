import type { CommandOutcome, ExecResult, SandboxCommand, SandboxExec } from '../../domain/ports/sandbox-port.js';
import { runExec, stopExec } from './exec-client.js';
import { interruptCommand, printedBy, runCommand, supervisorAnswers } from './shell-client.js';

export interface ControlChannel {
  /**
   * Starts command n, or re-attaches to it, and waits for its outcome. Aborting only stops the
   * wait. Throws SupervisorAway, and InfrastructureError when the supervisor refuses.
   */
  run(command: SandboxCommand, signal: AbortSignal): Promise<CommandOutcome>;
  /** Stops command n if it is running. Throws SupervisorAway. */
  interrupt(n: number): Promise<void>;
  /** End of command n's output so far; empty: it does not run. Throws SupervisorAway. */
  printed(n: number): Promise<string>;
  /** As `run`, for an exec. */
  exec(exec: SandboxExec, signal: AbortSignal): Promise<ExecResult>;
  /** Throws SupervisorAway. */
  stopExec(key: string): Promise<void>;
  answers(): Promise<boolean>;
}

/** Through a shared control directory: a socket, and outcomes as files. */
export const sharedDirectory = (control: string): ControlChannel => ({
  run: (command, signal) => runCommand(control, command, signal),
  interrupt: (n) => interruptCommand(control, n),
  printed: (n) => printedBy(control, n),
  exec: (exec, signal) => runExec(control, exec, signal),
  stopExec: (key) => stopExec(control, key),
  answers: () => supervisorAnswers(control),
});
