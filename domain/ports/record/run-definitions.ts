import type { RunDefinition } from '../../run.js';

/** What was decided of a run when it was submitted. */
export interface RunDefinitions {
  definition(runId: string): Promise<RunDefinition>;
}
