import { DEFAULT_BREAKER } from '../../domain/run/end-cause.js';
import { BenchError } from '../../domain/errors.js';
import { forkOf } from '../../domain/run/fork.js';
import { newBatchId } from '../../domain/ids.js';
import type { ModelRef } from '../../domain/model/model.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { TrajectoryReads } from '../../domain/ports/reading/trajectories.js';
import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import type { ForkRequest } from '../../domain/requests/fork.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { samplingFor } from '../../domain/model/sampling.js';
import { resolveModels } from '../../catalog/index.js';
import type { BenchSettings } from '../settings.js';
import { checkAgent } from './check-agent.js';
import { checkHosts } from './check-hosts.js';
import { checkModels, type CheckModelsPorts } from './check-models.js';
import { checkRecordings } from './check-players.js';
import { chooseBackend, withImages } from './choose-backend.js';
import { hostsOffering, type HostsPorts } from './hosts-offering.js';
import { refuseForkOfTree } from './check-tree.js';
import { refuseForkOfProgram } from './refuse-fork.js';
import type { ImagesPorts } from './prepare-batch.js';
import { shareFrozen, type ShareTasksPorts } from './share-tasks.js';
import { storeAndStart, type StorePorts } from './store-batch.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';
import type { SubmittedBatch } from './batch-plan.js';

export type ForkPorts = HostsPorts &
  ImagesPorts &
  CheckModelsPorts &
  ShareTasksPorts &
  StorePorts & {
    settings: Pick<BenchSettings, 'configFolders'>;
    queries: Pick<RunReads, 'findRun'> & Pick<TrajectoryReads, 'trajectory'>;
    store: Pick<RunDefinitions, 'definition'>;
  };

/** Throws BenchError before anything is written. */
export async function forkRun(ports: ForkPorts, input: ForkRequest): Promise<SubmittedBatch & { forkedFrom: string }> {
  const { queries, store } = ports;
  const request = { ...input, runId: (await queries.findRun(input.runId)).runId };
  const origin = await store.definition(request.runId);
  refuseForkOfProgram(origin);
  if (origin.node !== true) refuseForkOfTree(origin);
  requireStep(request, await queries.trajectory(origin.runId, request.atStep - 1, 1));
  const maxSteps = stepsOfFork(request, origin);
  const ref = playerOf(ports, request, origin);
  checkHosts(await hostsOffering(ports, origin.backend), { backend: origin.backend, gpus: origin.gpus });
  const models = [ref];
  const backend = await ports.abortable('batch-images', async (signal) => {
    const chosen = await chooseBackend(ports, origin.backend, models);
    return withImages(ports, { chosen, requested: origin.backend, models }, signal);
  });
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
  await shareFrozen(ports, [origin.taskHash]);
  const { runId: forkedFrom, ...rest } = request;
  const seed = origin.seed - origin.attempt;
  await storeAndStart(ports, batch, { spec: { forkedFrom, ...rest }, seed });
  return { ...batch, forkedFrom };
}

function stepsOfFork(request: ForkRequest, origin: RunDefinition): number {
  const maxSteps = request.maxSteps ?? origin.maxSteps;
  if (maxSteps > request.atStep) return maxSteps;
  throw new BenchError('usage', `no step is left after step ${request.atStep}: the fork may take ${maxSteps} in all`, {
    code: 'run.not_forkable',
    remedy: 'Give it more steps, or fork at an earlier one.',
    fields: { maxSteps: true, atStep: true },
  });
}

function playerOf(
  ports: CheckModelsPorts & { settings: Pick<BenchSettings, 'configFolders'> },
  request: ForkRequest,
  origin: RunDefinition,
): ModelRef {
  const [ref] =
    request.model === null ? [origin.model] : resolveModels(ports.settings.configFolders, [request.model], {});
  if (ref === undefined) throw new Error('a model that resolves to nothing');
  const agent = { name: origin.agentName, hash: origin.agentHash, config: origin.agent };
  checkAgent(agent, [ref]);
  checkRecordings(agent, [ref]);
  checkModels(ports, [ref], {}, { needKeys: true });
  return ref;
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
