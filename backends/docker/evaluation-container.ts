import type Docker from 'dockerode';
import { InfrastructureError } from '../../domain/errors.js';
import type { EvaluationJob, EvaluationOutcome } from '../../domain/ports/evaluator-port.js';
import { markFor } from '../mark.js';
import { removeContainer } from './container-life.js';
import type { DockerEvaluatorOptions } from './evaluator-options.js';
import { markUsed } from './image-use.js';
import { EVALUATION_LABEL, HOME_LABEL, MAKER_LABEL, UNTIL_LABEL } from './labels.js';

export interface EvaluationContainer {
  what: string;
  /** After this, no activity waits for it. */
  longestMs: number;
  make: (name: string, labels: Record<string, string>) => Promise<Docker.ContainerCreateOptions>;
  /** Before the start. */
  fill: (container: Docker.Container) => Promise<void>;
  /** After the start. */
  outcome: (container: Docker.Container) => Promise<EvaluationOutcome>;
}

/** A container for one evaluation, always removed. Throws InfrastructureError or abort reasons. */
export async function inContainer(
  { docker, homeTag, imageDigest }: DockerEvaluatorOptions,
  job: EvaluationJob,
  { what, longestMs, make, fill, outcome }: EvaluationContainer,
  signal: AbortSignal,
): Promise<EvaluationOutcome> {
  const name = `bench-${homeTag}-eval-${job.id}`;
  try {
    await removeContainer(docker.getContainer(name));
    const { maker, until } = await markFor(longestMs);
    const labels = {
      [HOME_LABEL]: homeTag,
      [EVALUATION_LABEL]: job.id,
      [MAKER_LABEL]: maker,
      [UNTIL_LABEL]: String(until),
    };
    const options = await make(name, labels);
    const container = await docker.createContainer(options);
    if (options.Image !== undefined) await markUsed(docker, options.Image, homeTag);
    try {
      await fill(container);
      await container.start();
      if (job.gpus !== undefined && !(await job.gpus.stillLeased()))
        throw new InfrastructureError(`${what} ${job.id}: the lease of its GPUs has ended`);
      const found = await outcome(container);
      return imageDigest === undefined ? found : { ...found, imageDigest };
    } finally {
      // By id: a later attempt may already use the name.
      await removeContainer(container);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof InfrastructureError) throw error;
    throw new InfrastructureError(`${what} ${job.id} of ${job.task.id}: ${(error as Error).message}`, { cause: error });
  }
}

/** Removes the containers of a run's evaluations. */
export async function endEvaluationsOf(
  { docker, homeTag }: Pick<DockerEvaluatorOptions, 'docker' | 'homeTag'>,
  runId: string,
): Promise<void> {
  const filters = { label: [`${HOME_LABEL}=${homeTag}`, EVALUATION_LABEL] };
  for (const { Id: id, Labels: labels } of await docker.listContainers({ all: true, filters }))
    if (labels[EVALUATION_LABEL]?.startsWith(`${runId}-`) === true) await removeContainer(docker.getContainer(id));
}
