import type { HostActivities, TakeSubmissionArgs } from '../domain/model/messages.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { EvaluationLog } from '../domain/ports/record/evaluations.js';
import type { SubmissionLog } from '../domain/ports/record/submissions.js';
import type { CollectOptions, SandboxRef, SubmissionFile } from '../domain/ports/sandbox-port.js';
import type { RunDefinition, TakenSubmission } from '../domain/run/run.js';
import type { Backends } from '../domain/ports/backends.js';
import type { RunDefinitions } from './run-definitions.js';
import { isStarter } from './starter-submission.js';
import { onForcedEnd } from '../domain/tree/node-rules.js';
import { storeSubmission } from '../domain/run/stored-submission.js';

export interface TakeSubmissionPorts {
  store: EvaluationLog & SubmissionLog;
  definitions: RunDefinitions;
  backends: Backends;
  artifacts: ArtifactStore;
  taskFolder: (run: RunDefinition) => Promise<string>;
}

export function takeSubmissionActivities(ports: TakeSubmissionPorts): Pick<HostActivities, 'takeSubmission'> {
  return { takeSubmission: (args) => takeOnce(ports, args) };
}

/** At a forced end: taken at once, since the agent's processes continue. */
async function takeOnce(ports: TakeSubmissionPorts, args: TakeSubmissionArgs): Promise<void> {
  const { store } = ports;
  const { runId, step, epoch, kind } = args;
  if ((await store.takenSubmission(runId, step, kind)) !== null) return;
  const run = await ports.definitions.get(runId);
  // An earlier submission counts, so the container is not needed.
  if (onForcedEnd(run) === 'best' && (await store.validSubmission(runId, 'best')) !== null) return;
  const { taken } = await takeSubmission(ports, run, { runId, epoch });
  await store.saveTakenSubmission(runId, step, kind, taken, epoch);
}

/** Into the artifact store. `files` is null if any is missing or refused. */
export async function takeSubmission(
  {
    store,
    backends,
    artifacts,
    taskFolder,
  }: Omit<TakeSubmissionPorts, 'store' | 'definitions'> & {
    store: Pick<SubmissionLog, 'noteStarter'>;
  },
  run: RunDefinition,
  ref: SandboxRef,
): Promise<{ taken: TakenSubmission; files: SubmissionFile[] | null }> {
  const { files, folders, optional, maxFiles, maxBytes, whole } = run.task.submission;
  const { evaluator } = run.task;
  const { sandbox } = backends[run.backend];
  const ofHarbor = async (): Promise<Pick<CollectOptions, 'whole' | 'live'>> => {
    if (evaluator.kind !== 'harbor' || whole !== true) return {};
    const { workdir, verification, env, timeoutSeconds } = evaluator;
    return verification === 'live'
      ? { live: { taskDir: await taskFolder(run), workdir, env, timeoutSeconds } }
      : { whole: { workdir, besides: verification === 'same-image' } };
  };
  const more = { folders, optional, maxFiles, ...(await ofHarbor()) };
  const collected = await sandbox.collect(ref, files, maxBytes, more);
  if (collected.kind !== 'files') return { taken: collected, files: null };
  const sha256 = await storeSubmission(artifacts, collected.files);
  if (await isStarter(await taskFolder(run), run.task.submission, collected.files))
    await store.noteStarter(run.runId, sha256);
  return { taken: { kind: 'files', sha256 }, files: collected.files };
}
