import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import type { RunDefinition } from '../../domain/run/run.js';

/** How a run is played: its task, agent, model and limits, as they were when it was submitted. */
export const runDefinition = (
  { store }: { store: Pick<RunDefinitions, 'definition'> },
  runId: string,
): Promise<RunDefinition> => store.definition(runId);
