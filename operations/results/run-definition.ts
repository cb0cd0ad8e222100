import type { RunDefinition } from '../../domain/run.js';
import type { Bench } from '../bench.js';

/** How a run is played: its task, agent, model and limits, as they were when it was submitted. */
export const runDefinition = async (bench: Bench, runId: string): Promise<RunDefinition> =>
  (await bench.database()).store.definition(runId);
