import type { RunDefinition, RunTicket } from '../../run/run.js';

/** Fixed at submission. */
export interface RunDefinitions {
  definition(runId: string): Promise<RunDefinition>;
  /** For its workflow; null: ended, or unknown. */
  ticket(runId: string): Promise<RunTicket | null>;
}
