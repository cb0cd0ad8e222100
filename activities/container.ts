import { unmetNeed } from '../domain/backend-needs.js';
import { BenchError, NoRoom, SandboxLost, Stale } from '../domain/errors.js';
import { layerOf } from '../domain/task-requirements.js';
import type { HostActivities, StartContainerArgs } from '../domain/messages.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { Snapshot, SnapshotLog } from '../domain/ports/record/snapshots.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { HostRegistry } from '../domain/ports/record/hosts.js';
import type { Leases } from '../domain/ports/record/leases.js';
import type { MemoryLog } from '../domain/ports/record/memories.js';
import type { Placements } from '../domain/ports/record/placement.js';
import type { RunLifecycle } from '../domain/ports/record/run-lifecycle.js';
import type { StepLog } from '../domain/ports/record/steps.js';
import { CANNOT_UNPACK, type SandboxInfo, type SandboxSpec } from '../domain/ports/sandbox-port.js';
import type { RunDefinition } from '../domain/run.js';
import type { RunDefinitions } from './run-definitions.js';
import type { Backends } from '../domain/ports/backends.js';
import { dropSnapshot, findSnapshot } from './find-snapshot.js';
import { recordNetworkRequests } from './network-events.js';
import { rerunCommands } from './rerun-commands.js';
import { cancellation } from './cancellation.js';

export interface ContainerPorts {
  store: EventLog &
    Pick<HostRegistry, 'hostStates'> &
    Leases &
    MemoryLog &
    Placements &
    RunLifecycle &
    SnapshotLog &
    StepLog;
  definitions: RunDefinitions;
  backends: Backends;
  artifacts: ArtifactStore;
  hostId: string;
  /** Folder of the task as it was when the run was submitted. */
  taskFolder: (run: RunDefinition) => Promise<string>;
}

export function containerActivities(ports: ContainerPorts): Pick<HostActivities, 'startContainer' | 'stopContainer'> {
  return {
    startContainer: (args) => startContainer(ports, args, cancellation()),
    async stopContainer({ runId }) {
      await endSandboxes(ports, await ports.definitions.get(runId));
      ports.definitions.forget(runId);
    },
  };
}

/** Nothing of the run's agent lives on this host any more. */
export async function endSandboxes(
  { store, backends }: { store: EventLog; backends: Backends },
  { runId, backend }: RunDefinition,
): Promise<void> {
  const { sandbox } = backends[backend];
  for (const ref of await sandbox.list()) {
    if (ref.runId !== runId) continue;
    await recordNetworkRequests(store, sandbox, ref, { close: true });
    await sandbox.stop(ref);
  }
}

async function startContainer(ports: ContainerPorts, args: StartContainerArgs, signal: AbortSignal): Promise<void> {
  const { store, hostId } = ports;
  const { runId, epoch } = args;
  const run = await ports.definitions.get(runId);
  await requireCurrent(ports, args);
  if (epoch === 1) await store.setStatus(runId, 'starting');
  const memory = run.memory === true ? await store.beginMemory(runId) : null;
  const need = unmetNeed(run.task, run.backend);
  if (need !== null) throw new BenchError('usage', need, { remedy: 'Submit it for the backend docker or podman.' });
  const taskDir = await ports.taskFolder(run);
  const { memoryMb, cpus, pids, workspaceMb } = run.task.limits;
  const through = await lastExecuted(store, args);
  await requireFirstStart(ports, run, args, through);
  const { info, from } = await startFrom(
    ports,
    run,
    { ...args, replayThrough: through },
    {
      runId,
      epoch,
      starterDir: `${taskDir}/starter`,
      limits: { memoryMb, cpus, pids, workspaceMb },
      network: run.task.network,
      layer: layerOf(run.task, 'agent', taskDir),
      gpuDevices: args.devices,
      environment: run.agent.tools.environment,
      ...(memory === null ? {} : { memory }),
    },
    signal,
  ).catch(async (error: unknown) => {
    // Postgres may have no room either: the next try tells of it.
    if (error instanceof NoRoom)
      await store
        .addEvent({
          runId,
          batchId: run.batchId,
          kind: 'disk_short',
          key: `disk-${epoch}`,
          detail: `waits: ${error.message}`,
        })
        .catch(() => undefined);
    throw error;
  });
  if (args.token !== undefined && !(await store.leaseValid(runId, args.token))) {
    // Taken back while the container was made: whoever did that may not have seen it.
    await ports.backends[run.backend].sandbox.stop({ runId, epoch });
    throw new Stale(`run ${runId}: its GPU lease ${args.token} was taken back`);
  }
  if (through > 0 || epoch > 1) await replay(ports, run, { ...args, replayThrough: through }, from, signal);
  await store.sandboxStarted(runId, {
    epoch,
    hostId,
    isolation: info.isolation,
    imageDigest: info.imageDigest,
    workspace: info.workspace,
    workspaceLimit: info.workspaceLimit,
  });
  await store.setStatus(runId, 'running');
}

/** The run is ours in this epoch, and its lease is its own. */
async function requireCurrent({ store, hostId }: ContainerPorts, args: StartContainerArgs): Promise<void> {
  const { runId, epoch, token } = args;
  if (token !== undefined && !(await store.leaseValid(runId, token)))
    throw new Stale(`run ${runId}: its GPU lease ${token} was taken back`);
  if (!(await store.beginEpoch(runId, epoch, hostId)))
    throw new Stale(`run ${runId}: container ${epoch} on ${hostId} is not its own any more`);
}

/**
 * A run's workflow that was started anew over what is on record, since the one before was terminated or its history is lost, knows of
 * no step, and would have none brought back. The first container may be gone, or go at any moment: the next one has them brought back.
 */
async function requireFirstStart(
  { store, backends }: ContainerPorts,
  run: RunDefinition,
  args: StartContainerArgs,
  through: number,
): Promise<void> {
  const { runId, epoch } = args;
  if (epoch > 1) return;
  const last = await lastExecuted(store, { ...args, replayThrough: run.maxSteps });
  if (last <= through) return;
  await backends[run.backend].sandbox.stop({ runId, epoch });
  throw new SandboxLost(`steps ${through + 1} to ${last} of an earlier life are brought back into another container`);
}

/** The last step, up to the one that is asked for, whose command has an end on record: a host that was lost may have left one without. */
async function lastExecuted(store: StepLog, { runId, replayThrough }: StartContainerArgs): Promise<number> {
  if (replayThrough === 0) return 0;
  const steps = await store.transcript(runId);
  return Math.max(0, ...steps.filter((s) => s.step <= replayThrough && s.observation !== null).map((s) => s.step));
}

/** Start with the last snapshot that can be used, if the run has steps behind it. */
async function startFrom(
  ports: ContainerPorts,
  run: RunDefinition,
  { runId, replayThrough }: StartContainerArgs,
  spec: SandboxSpec,
  signal: AbortSignal,
): Promise<{ info: SandboxInfo; from: Snapshot | null }> {
  const { sandbox } = ports.backends[run.backend];
  for (;;) {
    const found =
      replayThrough === 0 ? null : await findSnapshot({ ...ports, disks: sandbox.disks }, runId, replayThrough, signal);
    if (found === null) return { info: await sandbox.start(spec), from: null };
    const { snapshot: from, restore } = found;
    try {
      return { info: await sandbox.start({ ...spec, restore }), from };
    } catch (error) {
      const { message } = error as Error;
      if (!message.includes(CANNOT_UNPACK)) throw error;
      if ('disk' in restore && from.artifact !== null) await ports.store.forgetDisk(restore.disk);
      else await dropSnapshot(ports.store, runId, from, message.slice(message.indexOf(CANNOT_UNPACK)));
      await sandbox.stop(spec);
    }
  }
}

/**
 * A container was lost, and its effects with it: what no snapshot holds of them comes from running the recorded commands again in
 * the new one. What the model saw stays as it was.
 */
async function replay(
  ports: ContainerPorts,
  run: RunDefinition,
  args: StartContainerArgs,
  from: Snapshot | null,
  signal: AbortSignal,
): Promise<void> {
  const { runId, epoch, replayThrough, because } = args;
  const done = from?.step ?? 0;
  const how = howRestored(done, replayThrough);
  const forked = epoch === 1 && run.forkedFrom !== undefined;
  await ports.store.addEvent({
    runId,
    batchId: run.batchId,
    kind: forked ? 'forked' : 'sandbox_lost',
    key: `epoch-${epoch}`,
    detail: forked
      ? `begins after step ${run.forkedFrom?.step} of run ${run.forkedFrom?.runId}: ${how}`
      : `the container was lost; ${how} in container ${epoch}${because === undefined ? '' : ` (${because})`}`,
  });
  const sandbox = ports.backends[run.backend].sandbox;
  await rerunCommands({ store: ports.store, sandbox }, run, { epoch, after: done, through: replayThrough }, signal);
}

function howRestored(done: number, through: number): string {
  const rerun = done + 1 === through ? `command ${through} is rerun` : `commands ${done + 1} to ${through} are rerun`;
  if (done === 0) return through === 0 ? 'nothing is to be rerun' : rerun;
  const restored = `the snapshot after step ${done} is restored`;
  return done === through ? restored : `${restored} and ${rerun}`;
}
