import { BenchError, type RemedyFields } from '../../domain/errors.js';
import type { ModelConfig } from '../../domain/model/config.js';
import type { ModelRef } from '../../domain/model/model.js';
import { compareUsd } from '../../domain/model/price.js';
import { keepsSnapshots, type RunOptions, samplingOf } from '../../domain/requests/run-options.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { samplingFor } from '../../domain/model/sampling.js';
import { roomIn } from '../../domain/tree/budget.js';
import type { SearchSpec } from '../../domain/tree/spec.js';
import type { TaskFolder } from '../../domain/task/task.js';
import { outputLimit } from '../../models/output-limit.js';
import { reservationUsd } from '../../models/reservation.js';
import type { LoadedAgent } from '../../catalog/index.js';

/** The nodes of a tree share one step limit: its runs have no other. */
export const stepsOfTree = ({ nodes, nodeSteps }: SearchSpec): number => nodes * nodeSteps;

export function checkTree(
  { name, config }: LoadedAgent,
  models: readonly ModelRef[],
  tasks: readonly Pick<TaskFolder, 'spec'>[],
  options: RunOptions,
): void {
  if (config.search === undefined) return;
  const refuse = (why: string, remedy: string, fields: RemedyFields = {}): never => {
    throw new BenchError('usage', `agent ${name} searches: ${why}`, { code: 'agent.unsuitable', remedy, fields });
  };
  const player = models.find(({ kind }) => kind === 'human' || kind === 'external' || kind === 'replay');
  if (player !== undefined)
    refuse(
      `it asks its model for many nodes at once, and ${player.name} plays one line`,
      'Choose an agent without a `search:` block, or a model that answers by itself.',
    );
  const unkept = tasks.find(({ spec }) => !keepsSnapshots(options, spec));
  if (unkept !== undefined)
    refuse(
      `its nodes continue from snapshots, and runs of ${unkept.spec.id} would take none`,
      'Leave the interval of snapshots to the task, or make it 1 or more.',
    );
  const live = tasks.find(({ spec }) => spec.evaluator.kind === 'harbor' && spec.evaluator.verification === 'live');
  if (live !== undefined)
    refuse(
      `its best node is tested when all sandboxes have ended, and the tests of ${live.spec.id} run in the sandbox of its agent`,
      'Choose another task, or an agent without a `search:` block.',
    );
  const repeating = models.find(({ config: model }) => model !== undefined && isFixed(model, options));
  if (repeating !== undefined && config.search.policy !== 'linear')
    refuse(
      `at temperature 0 ${repeating.name} answers equal prompts alike, so nodes that begin alike would repeat each other`,
      'Choose the policy linear, whose nodes follow each other, or set a temperature above 0.',
      { temperature: '0.7' },
    );
  for (const model of models) {
    const short = shortOf(config.search, model, options);
    if (short !== null)
      refuse(
        `its ${short.nodes} nodes share ${short.limit}, and ${short.part} of that does not pay for one answer of ${model.name}, for which ${short.answer} is reserved`,
        'Raise the limit, or give the tree fewer nodes or the model shorter answers.',
      );
  }
}

const isFixed = (model: ModelConfig, options: RunOptions): boolean =>
  samplingFor(model, samplingOf(options)).temperature === 0;

/** The limit (null and 0: none) whose part per node no answer of the model fits; null: none. */
function shortOf(
  { nodes, validations = nodes }: SearchSpec,
  { config }: ModelRef,
  options: RunOptions,
): { nodes: number; limit: string; part: string; answer: string } | null {
  if (config === undefined) return null;
  const { costLimit, tokenLimit } = options;
  const request = { messages: [], sampling: samplingFor(config, samplingOf(options)) };
  const room = { nodes, validations, costUsd: costLimit, tokens: tokenLimit, seconds: 0 };
  const sharing = Math.min(nodes, validations);
  const { share } = roomIn(room, { nodes: 0, validations: 0, costUsd: '0', tokens: 0, seconds: 0 });
  const usd = reservationUsd(config, request, new Date());
  if (costLimit !== null && compareUsd(share.costUsd ?? '0', usd) < 0)
    return { nodes: sharing, limit: `$${costLimit}`, part: `$${share.costUsd ?? '0'}`, answer: `$${usd}` };
  const tokens = outputLimit(config, request);
  if (tokenLimit > 0 && share.tokens < tokens)
    return { nodes: sharing, limit: `${tokenLimit} tokens`, part: `${share.tokens}`, answer: `${tokens}` };
  return null;
}

/** A search tree is not one line of steps that a fork could continue. */
export function refuseForkOfTree({
  runId,
  agentName,
  agent,
}: Pick<RunDefinition, 'runId' | 'agentName' | 'agent'>): void {
  if (agent.search === undefined) return;
  throw new BenchError('usage', `run ${runId} cannot be forked: its agent ${agentName} played a tree of forks`, {
    code: 'run.not_forkable',
    remedy: `Fork one of its nodes, which are runs: \`bench tree ${runId}\` shows them.`,
  });
}
