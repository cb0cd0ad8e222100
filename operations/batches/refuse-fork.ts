import { BenchError } from '../../domain/errors.js';
import type { RunDefinition } from '../../domain/run/run.js';

/** A program's state is its own process, which no step records. */
export function refuseForkOfProgram({
  runId,
  agentName,
  agent,
}: Pick<RunDefinition, 'runId' | 'agentName' | 'agent'>): void {
  if (agent.program === undefined) return;
  throw new BenchError(
    'usage',
    `run ${runId} cannot be forked: its agent ${agentName} is a program, which always starts over`,
    {
      code: 'run.not_forkable',
      remedy: 'Submit its task again.',
    },
  );
}
