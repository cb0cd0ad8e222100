import { dialectEnvironment } from '../domain/agent/dialect.js';
import { START_JOB } from '../domain/agent/commands.js';
import type { Program } from '../domain/agent/program.js';
import { unmetNeed } from '../domain/task/backend-needs.js';
import { attributed } from '../domain/run/end-cause.js';
import { BenchError, NoRoom, SandboxLost, Stale } from '../domain/errors.js';
import { needsGpu } from '../domain/task/evaluator-spec.js';
import { layerOf } from '../domain/task/requirements.js';
import type { HostActivities, StartContainerArgs } from '../domain/model/messages.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { Departure } from '../domain/ports/departure.js';
import type { Snapshot, SnapshotLog } from '../domain/ports/record/snapshots.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { HostRegistry } from '../domain/ports/record/hosts.js';
import type { Leases } from '../domain/ports/record/leases.js';
import type { MemoryLog } from '../domain/ports/record/memories.js';
import type { Placements } from '../domain/ports/record/placement.js';
import type { RunLifecycle } from '../domain/ports/record/run-lifecycle.js';
import type { StepLog } from '../domain/ports/record/steps.js';
import type { ToolLog } from '../domain/ports/record/tool-log.js';
import { CANNOT_UNPACK, type SandboxInfo, type SandboxRef, type SandboxSpec } from '../domain/ports/sandbox-port.js';
import type { RunDefinition } from '../domain/run/run.js';
import type { RunDefinitions } from './run-definitions.js';
import type { Backends } from '../domain/ports/backends.js';
import { dropSnapshot, findSnapshot } from './find-snapshot.js';
import { listTools } from './list-tools.js';
import { recordNetworkRequests } from './network-events.js';
import { removalScript } from './removal-script.js';
import { rerunCommands } from './rerun-commands.js';
import { StartsUnderWay } from './starts-under-way.js';
import { cancellation } from './cancellation.js';

export interface ContainerPorts {
  store: EventLog &
    Pick<HostRegistry, 'hostStates'> &
    Leases &
    MemoryLog &
    Placements &
    RunLifecycle &
    SnapshotLog &
    StepLog &
    ToolLog;
  definitions: RunDefinitions;
  backends: Backends;
  artifacts: ArtifactStore;
  hostId: string;
  /** Programs of this host; absent: none are played here. */
  programs?: {
    /** Null: no folder to mount. Throws BenchError (usage) if it is unavailable. */
    folder(run: RunDefinition): Promise<string | null>;
    close(runId: string): void;
  };
  /** The task's folder, frozen at submit. */
  taskFolder: (run: RunDefinition) => Promise<string>;
}

export function containerActivities(ports: ContainerPorts): Pick<HostActivities, 'startContainer' | 'stopContainer'> {
  const starts = new StartsUnderWay();
  return {
    startContainer: (args) =>
      starts.during(args.runId, (isWanted) => startContainer(ports, args, { isWanted, signal: cancellation() })),
    async stopContainer({ runId, end }) {
      starts.giveUp(runId);
      const run = await ports.definitions.get(runId);
      await endSandboxes(ports, run);
      if (needsGpu(run.task.evaluator)) await ports.backends[run.backend].evaluator.endOf?.(runId);
      if (end !== undefined) await ports.store.finishRun(runId, end);
      ports.programs?.close(runId);
      ports.definitions.forget(runId);
    },
  };
}

/**
 * The first container of a run just placed here. Not `started`: `startContainer` is to try, as
 * after any failure. `lost`: it died, and the next epoch is due.
 */
export const startPlacedHere =
  (
    { hostId, departure }: { hostId: string; departure: Departure },
    { startContainer: startOn }: Pick<HostActivities, 'startContainer'>,
  ) =>
  async (placedOn: string, args: StartContainerArgs): Promise<{ started: boolean; lost?: string }> => {
    if (placedOn !== hostId || departure.begun) return { started: false };
    departure.enter(args.runId);
    let settled: number | null = null;
    try {
      await startOn(args);
      settled = args.epoch;
      return { started: true };
    } catch (error) {
      cancellation().throwIfAborted();
      return error instanceof SandboxLost ? { started: false, lost: error.message.slice(0, 300) } : { started: false };
    } finally {
      departure.leave(args.runId, settled);
    }
  };

/** True when nothing of the run's agent is left on this host. */
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

async function startContainer(
  ports: ContainerPorts,
  args: StartContainerArgs,
  { isWanted, signal }: { isWanted: () => boolean; signal: AbortSignal },
): Promise<void> {
  const { store, hostId } = ports;
  const { runId, epoch } = args;
  const run = await ports.definitions.get(runId);
  await requireCurrent(ports, args);
  const memory = run.memory === true ? await store.beginMemory(runId) : null;
  const need = unmetNeed(run.task, run.backend);
  if (need !== null) throw new BenchError('usage', need, { remedy: 'Submit it for the backend docker or podman.' });
  const taskDir = await ports.taskFolder(run);
  const { program } = run.agent;
  // A program restarts in a new container. A lost host may have left a step without an outcome.
  const through = program === undefined ? await store.lastExecuted(runId, args.replayThrough) : 0;
  if (program === undefined) await requireFirstStart(ports, run, args, through);
  const folder =
    program === undefined ? null : await attributed('program', async () => (await ports.programs?.folder(run)) ?? null);
  const { info, from } = await startFrom(
    ports,
    run,
    { ...args, replayThrough: through },
    {
      ...sandboxSpec(run, { runId, epoch, taskDir, gpuDevices: args.devices, memory }),
      ...(program === undefined ? {} : { program: programOf(program, folder) }),
    },
    signal,
  ).catch(async (error: unknown) => {
    // PostgreSQL may be out of disk too; the next try writes the event.
    if (error instanceof NoRoom)
      await store
        .addEvent({
          runId,
          batchId: run.batchId,
          kind: 'disk_low',
          key: `disk-${epoch}`,
          detail: `waits: ${error.message}`,
        })
        .catch(() => undefined);
    throw error;
  });
  if (!isWanted()) {
    await ports.backends[run.backend].sandbox.stop({ runId, epoch });
    throw new Stale(`run ${runId} ended while container ${epoch} was started`);
  }
  if (args.token !== undefined && !(await store.leaseValid(runId, args.token))) {
    // The lease was revoked meanwhile, perhaps before the revoker could see the container.
    await ports.backends[run.backend].sandbox.stop({ runId, epoch });
    throw new Stale(`run ${runId}: its GPU lease ${args.token} was revoked`);
  }
  if (through > 0 || epoch > 1) {
    const removal = removalScript(run, taskDir, info.workspace);
    await replay(ports, run, { ...args, replayThrough: through }, { from, removal }, signal);
  }
  await listTools({ store, sandbox: ports.backends[run.backend].sandbox }, run, { runId, epoch }, signal);
  await store.sandboxStarted(runId, {
    epoch,
    hostId,
    isolation: info.isolation,
    imageDigest: info.imageDigest,
    workspace: info.workspace,
    workspaceLimit: info.workspaceLimit,
    unenforcedLimits: info.unenforcedLimits,
  });
}

const programOf = ({ install: { pip = [], pipNoDeps = [] } }: Program, folder: string | null) => ({
  pip,
  pipNoDeps,
  folder,
});

/** The sandbox, apart from its place and what it is restored from. */
export function sandboxSpec(
  run: RunDefinition,
  { taskDir, memory, ...at }: SandboxRef & { taskDir: string; gpuDevices: string[]; memory: readonly string[] | null },
): SandboxSpec {
  const { memoryMb, cpus, pids, workspaceMb } = run.task.limits;
  return {
    ...at,
    starterDir: `${taskDir}/starter`,
    limits: { memoryMb, cpus, pids, workspaceMb },
    network: run.task.network,
    layer: layerOf(run.task, 'agent', taskDir),
    environment: {
      ...run.agent.tools.environment,
      ...dialectEnvironment(run.agent.tools.dialect),
      // A job in the background may take as long as a command.
      ...(run.agent.tools.commands.some(({ name }) => name === START_JOB) && {
        AGENT_JOB_SECONDS: String(run.task.limits.commandSeconds),
      }),
      ...(run.agent.tools.mcp !== undefined && { AGENT_MCP_SERVERS: JSON.stringify(run.agent.tools.mcp) }),
    },
    ...(memory === null ? {} : { memory }),
  };
}

/** Throws Stale unless the run is still in this epoch and holds its lease. */
async function requireCurrent({ store, hostId }: ContainerPorts, args: StartContainerArgs): Promise<void> {
  const { runId, epoch, token } = args;
  if (token !== undefined && !(await store.leaseValid(runId, token)))
    throw new Stale(`run ${runId}: its GPU lease ${token} was revoked`);
  if (!(await store.beginEpoch(runId, epoch, hostId)))
    throw new Stale(`run ${runId}: container ${epoch} on ${hostId} is no longer current`);
}

/**
 * A workflow restarted without its history does not know the recorded steps. So its first container
 * is discarded, and the next one restores them from the database.
 */
async function requireFirstStart(
  { store, backends }: ContainerPorts,
  run: RunDefinition,
  args: StartContainerArgs,
  through: number,
): Promise<void> {
  const { runId, epoch } = args;
  if (epoch > 1) return;
  const last = await store.lastExecuted(runId, run.maxSteps);
  if (last <= through) return;
  await backends[run.backend].sandbox.stop({ runId, epoch });
  throw new SandboxLost(`the workflow was restarted: steps ${through + 1} to ${last} are restored in a new container`);
}

/** From the last usable snapshot. An earlier attempt's sandbox keeps its own, older one. */
async function startFrom(
  ports: ContainerPorts,
  run: RunDefinition,
  { runId, replayThrough }: StartContainerArgs,
  spec: SandboxSpec,
  signal: AbortSignal,
): Promise<{ info: SandboxInfo; from: Snapshot | null }> {
  const { sandbox } = ports.backends[run.backend];
  for (;;) {
    const begun = replayThrough === 0 ? null : await sandbox.begunAfter(spec);
    const last = begun ?? replayThrough;
    const found = last === 0 ? null : await findSnapshot({ ...ports, disks: sandbox.disks }, runId, last, signal);
    if (begun !== null && begun !== (found?.snapshot.step ?? 0)) {
      // Its snapshot is unavailable.
      await sandbox.stop(spec);
      continue;
    }
    if (found === null) return { info: await sandbox.start(spec), from: null };
    const { snapshot: from, restore } = found;
    try {
      return { info: await sandbox.start({ ...spec, restore, restoredStep: from.step }), from };
    } catch (error) {
      const { message } = error as Error;
      if (!message.includes(CANNOT_UNPACK)) throw error;
      if ('disk' in restore && from.artifact !== null) await ports.store.forgetDisk(restore.disk);
      else await dropSnapshot(ports.store, runId, from, message.slice(message.indexOf(CANNOT_UNPACK)));
      await sandbox.stop(spec);
    }
  }
}

/** Reruns the recorded commands since the snapshot in a new container. */
async function replay(
  ports: ContainerPorts,
  run: RunDefinition,
  args: StartContainerArgs,
  { from, removal }: { from: Snapshot | null; removal: string },
  signal: AbortSignal,
): Promise<void> {
  const { runId, epoch, replayThrough, because, handedOnBy } = args;
  const done = from?.step ?? 0;
  const how = howRestored(done, replayThrough);
  const forked = epoch === 1 && run.forkedFrom !== undefined;
  await ports.store.addEvent({
    runId,
    batchId: run.batchId,
    kind: forked ? 'run_forked' : handedOnBy === undefined ? 'sandbox_lost' : 'run_handed_over',
    key: `epoch-${epoch}`,
    detail: forked
      ? `continues after step ${run.forkedFrom?.step} of run ${run.forkedFrom?.runId}: ${how}`
      : handedOnBy === undefined
        ? `the container was lost; ${how} in container ${epoch}${because === undefined ? '' : ` (${because})`}`
        : `host ${handedOnBy} left; ${how} on host ${ports.hostId}`,
  });
  const sandbox = ports.backends[run.backend].sandbox;
  await rerunCommands(
    { store: ports.store, sandbox },
    run,
    { epoch, after: done, through: replayThrough, removal },
    signal,
  );
}

function howRestored(done: number, through: number): string {
  const rerun = done + 1 === through ? `command ${through} is rerun` : `commands ${done + 1} to ${through} are rerun`;
  if (done === 0) return through === 0 ? 'no command is rerun' : rerun;
  const restored = `the snapshot after step ${done} is restored`;
  return done === through ? restored : `${restored} and ${rerun}`;
}
