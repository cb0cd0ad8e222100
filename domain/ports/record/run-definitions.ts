import type { RunDefinition, RunTicket } from '../../run/run.js';

/** What was decided of a run when it was submitted. */
export interface RunDefinitions {
  definition(runId: string): Promise<RunDefinition>;
  /** What its workflow needs of it; null: it has ended, or is not known. */
  ticket(runId: string): Promise<RunTicket | null>;
}
