import { DEFAULT_BREAKER } from '../../domain/end-cause.js';
import { BenchError } from '../../domain/errors.js';
import { forkOf } from '../../domain/fork.js';
import { newBatchId } from '../../domain/ids.js';
import type { ForkRequest } from '../../domain/requests/fork.js';
import type { RunDefinition } from '../../domain/run.js';
import { samplingFor } from '../../domain/sampling.js';
import { resolveModels } from '../../catalog/index.js';
import type { Bench } from '../bench.js';
import { checkAgent } from './check-agent.js';
import { checkHosts } from './check-hosts.js';
import { checkModels } from './check-models.js';
import { checkRecordings } from './check-recordings.js';
import { chooseBackend } from './choose-backend.js';
import { hostsOffering } from './hosts-offering.js';
import { refuseForkOfTree } from './check-tree.js';
import { refuseForkOfProgram } from './refuse-fork.js';
import { shareFrozen } from './share-tasks.js';
import { storeAndStart } from './store-batch.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';
import type { SubmittedBatch } from './batch-plan.js';

/** Submits a batch of runs that continue another run after one of its steps. Throws BenchError before anything is written. */
export async function forkRun(bench: Bench, asked: ForkRequest): Promise<SubmittedBatch & { forkedFrom: string }> {
  const { settings } = bench;
  const database = await bench.database();
  const request = { ...asked, runId: (await database.queries.findRun(asked.runId)).runId };
  const origin = await database.store.definition(request.runId);
  refuseForkOfProgram(origin);
  // A node goes on as one line.
  if (origin.node !== true) refuseForkOfTree(origin);
  requireStep(request, await database.queries.trajectory(origin.runId, request.atStep - 1, 1));
  const maxSteps = request.maxSteps ?? origin.maxSteps;
  if (maxSteps <= request.atStep)
    throw new BenchError(
      'usage',
      `no step is left after step ${request.atStep}: the fork may take ${maxSteps} in all`,
      {
        code: 'run.not_forkable',
        remedy: 'Give it more steps, or fork at an earlier one.',
        fields: { maxSteps: true, atStep: true },
      },
    );
  const [ref] = request.model === null ? [origin.model] : resolveModels(settings.configFolders, [request.model], {});
  if (ref === undefined) throw new Error('a model that resolves to nothing');
  if (ref.kind === 'human')
    throw new BenchError('usage', 'the model "human" cannot play in a batch, only in a terminal', {
      code: 'model.unsuitable',
      remedy: 'Choose another model.',
      fields: { model: true },
    });
  const agent = { name: origin.agentName, hash: origin.agentHash, config: origin.agent };
  checkAgent(agent, [ref]);
  checkRecordings(agent, [ref]);
  checkModels(bench, [ref], {}, { needKeys: true });
  checkHosts(await hostsOffering(bench, origin.backend), { backend: origin.backend, gpus: origin.gpus });
  const backend = await bench.abortable('batch-images', (signal) =>
    chooseBackend(bench, origin.backend, [ref], { prepare: { signal } }),
  );
  const sampling = ref.config === undefined ? {} : samplingFor(ref.config, {});
  const batchId = newBatchId();
  const runs: RunDefinition[] = Array.from({ length: request.attempts }, (_, nth) =>
    forkOf(origin, {
      batchId,
      atStep: request.atStep,
      nth,
      maxSteps,
      ...(request.model !== null && { model: { ref, sampling } }),
      ...(request.costLimit !== null && { costLimitUsd: request.costLimit }),
    }),
  );
  const batch: SubmittedBatch = {
    ...{ batchId, name: request.name, backend, runs, budgetUsd: null },
    concurrency: request.concurrency,
    breaker: DEFAULT_BREAKER,
  };
  await shareFrozen(bench, [origin.taskHash]);
  const { runId: forkedFrom, ...rest } = request;
  const seed = origin.seed - origin.attempt;
  await storeAndStart(bench, batch, { spec: { forkedFrom, ...rest }, seed });
  return { ...batch, forkedFrom };
}

function requireStep({ runId, atStep }: ForkRequest, [step]: TrajectoryStep[]): void {
  const remedy = `\`bench trajectory ${runId}\` shows its steps.`;
  const refuse = (why: string): never => {
    throw new BenchError('usage', `run ${runId} cannot be forked at step ${atStep}: ${why}`, {
      code: 'run.not_forkable',
      remedy,
    });
  };
  if (step?.step !== atStep) return refuse('it has no such step');
  if (step.action === null) return refuse('that step has no usable reply');
  if (step.observation === null) return refuse('its command has not finished');
  if (step.requested === 'submit') return refuse('it submits at that step; choose an earlier one');
  if (step.requested === 'validate' && step.evaluations.length === 0) return refuse('its evaluation has not finished');
}
