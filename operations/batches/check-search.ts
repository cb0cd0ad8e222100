import { BenchError } from '../../domain/errors.js';
import type { ModelRef } from '../../domain/model.js';
import type { RunDefinition } from '../../domain/run.js';
import type { SearchSpec } from '../../domain/search/spec.js';
import type { TaskFolder } from '../../domain/task.js';
import type { LoadedAgent } from '../../catalog/index.js';

/** Steps that all nodes of a tree take at most: its runs have no other limit of steps. */
export const stepsOfTree = ({ nodes, nodeSteps }: SearchSpec): number => nodes * nodeSteps;

interface Asked {
  models: readonly ModelRef[];
  tasks: readonly Pick<TaskFolder, 'spec'>[];
  /** Null: as each task says. */
  snapshotEvery: number | null;
}

/** What a tree of forks cannot be played on, or by, before anything is started. */
export function checkSearch({ name, config }: LoadedAgent, { models, tasks, snapshotEvery }: Asked): void {
  if (config.search === undefined) return;
  const refuse = (why: string, remedy: string): never => {
    throw new BenchError('usage', `agent ${name} searches: ${why}`, { code: 'agent.unfit', remedy });
  };
  const player = models.find(({ kind }) => kind === 'human' || kind === 'external' || kind === 'replay');
  if (player !== undefined)
    refuse(
      `it asks its model for many nodes at once, and ${player.name} plays one line`,
      'Choose an agent without a `search:` block, or a model that answers by itself.',
    );
  const unkept = tasks.find(({ spec }) => (snapshotEvery ?? spec.snapshotEvery) === 0);
  if (unkept !== undefined)
    refuse(
      `its nodes go on from snapshots, and runs of ${unkept.spec.id} would keep none`,
      'Leave the interval of snapshots to the task, or make it 1 or more.',
    );
  const live = tasks.find(({ spec }) => spec.evaluator.kind === 'harbor' && spec.evaluator.verification === 'live');
  if (live !== undefined)
    refuse(
      `its best node is tested when all sandboxes have ended, and the tests of ${live.spec.id} run where its agent lives`,
      'Choose another task, or an agent without a `search:` block.',
    );
}

/** What a tree came to is no line that could be gone on with. */
export function refuseForkOfTree({
  runId,
  agentName,
  agent,
}: Pick<RunDefinition, 'runId' | 'agentName' | 'agent'>): void {
  if (agent.search === undefined) return;
  throw new BenchError('usage', `run ${runId} cannot be forked: its agent ${agentName} played a tree of forks`, {
    code: 'run.not_forkable',
    remedy: `Fork one of its nodes, which are runs: \`bench search-tree ${runId}\` shows them.`,
  });
}
