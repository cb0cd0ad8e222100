import type { CommandOutcome, SandboxCommand } from '../../domain/ports/sandbox-port.js';
import { interruptCommand, printedBy, runCommand, supervisorAnswers } from './shell-client.js';

/** How a worker reaches a sandbox's supervisor. */
export interface ControlChannel {
  /**
   * Start command n, or re-attach to it, and wait for its outcome. Aborting only stops waiting. Throws SupervisorAway,
   * and InfrastructureError when the supervisor refuses.
   */
  run(command: SandboxCommand, signal: AbortSignal): Promise<CommandOutcome>;
  /** Stop command n if it is running. Throws SupervisorAway. */
  interrupt(n: number): Promise<void>;
  /** What command n has printed so far, its end alone; empty: it does not run. Throws SupervisorAway. */
  printed(n: number): Promise<string>;
  /** Does a supervisor answer? */
  answers(): Promise<boolean>;
}

/** Through a control directory that worker and supervisor share: a socket, and outcomes as files. */
export const sharedDirectory = (control: string): ControlChannel => ({
  run: (command, signal) => runCommand(control, command, signal),
  interrupt: (n) => interruptCommand(control, n),
  printed: (n) => printedBy(control, n),
  answers: () => supervisorAnswers(control),
});
