import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import type { RunDefinition } from '../../domain/run/run.js';

export const runDefinition = (
  { store }: { store: Pick<RunDefinitions, 'definition'> },
  runId: string,
): Promise<RunDefinition> => store.definition(runId);
