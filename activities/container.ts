import { commandLimits } from '../domain/agent/command-limits.js';
import { guardMultiline } from '../domain/agent/guard-multiline.js';
import { unmetNeed } from '../domain/backend-needs.js';
import { BenchError } from '../domain/errors.js';
import { layerOf } from '../domain/task-requirements.js';
import type { HostActivities, StartContainerArgs } from '../domain/messages.js';
import type { RunStore } from '../domain/ports/run-store.js';
import type { RunDefinition } from '../domain/run.js';
import type { RunDefinitions } from './run-definitions.js';
import type { Backends } from './backends.js';
import { recordNetworkRequests } from './network-events.js';
import { withHeartbeat } from './heartbeat.js';

export interface ContainerPorts {
  store: RunStore;
  definitions: RunDefinitions;
  backends: Backends;
  hostId: string;
  /** Folder of the task as it was when the run was submitted. */
  taskFolder: (run: RunDefinition) => Promise<string>;
}

export function containerActivities(ports: ContainerPorts): Pick<HostActivities, 'startContainer' | 'stopContainer'> {
  return {
    startContainer: (args) => withHeartbeat((signal) => startContainer(ports, args, signal)),
    stopContainer: ({ runId }) =>
      withHeartbeat(async () => {
        const run = await ports.definitions.get(runId);
        const sandbox = ports.backends[run.backend].sandbox;
        for (const ref of await sandbox.list()) {
          if (ref.runId !== runId) continue;
          await recordNetworkRequests(ports.store, sandbox, ref, { close: true });
          await sandbox.stop(ref);
        }
        ports.definitions.forget(runId);
      }),
  };
}

async function startContainer(ports: ContainerPorts, args: StartContainerArgs, signal: AbortSignal): Promise<void> {
  const { store, hostId } = ports;
  const { runId, epoch } = args;
  const run = await ports.definitions.get(runId);
  if (epoch === 1) await store.setStatus(runId, 'starting');
  const memory = run.memory === true ? await store.beginMemory(runId) : null;
  const need = unmetNeed(run.task, run.backend);
  if (need !== null) throw new BenchError('usage', need, { remedy: 'Submit it with --backend docker or podman.' });
  const sandbox = ports.backends[run.backend].sandbox;
  const taskDir = await ports.taskFolder(run);
  const { memoryMb, cpus, pids, workspaceMb } = run.task.limits;
  const info = await sandbox.start({
    runId,
    epoch,
    starterDir: `${taskDir}/starter`,
    limits: { memoryMb, cpus, pids, workspaceMb },
    network: run.task.network,
    layer: layerOf(run.task, 'agent', taskDir),
    gpuDevices: args.devices,
    environment: run.agent.tools.environment,
    ...(memory === null ? {} : { memory }),
  });
  if (epoch > 1) await replay(ports, run, args, signal);
  await store.sandboxStarted(runId, {
    epoch,
    hostId,
    isolation: info.isolation,
    imageDigest: info.imageDigest,
    workspace: info.workspace,
    workspaceLimit: info.workspaceLimit,
  });
  if (epoch === 1) await store.setStatus(runId, 'running');
}

/**
 * A container was lost, and its effects with it: run the recorded commands again in the new one. What the model saw stays
 * as it was. Commands are handed over by their numbers, so a retry of this activity goes on where it broke off.
 */
async function replay(
  ports: ContainerPorts,
  run: RunDefinition,
  args: StartContainerArgs,
  signal: AbortSignal,
): Promise<void> {
  const { runId, epoch, replayThrough } = args;
  await ports.store.addEvent({
    runId,
    batchId: run.batchId,
    kind: 'sandbox_lost',
    key: `epoch-${epoch}`,
    detail: `the container was lost; commands 1 to ${replayThrough} are rerun in container ${epoch}`,
  });
  const sandbox = ports.backends[run.backend].sandbox;
  const steps = await ports.store.transcript(runId);
  for (const { step, action } of steps) {
    if (step > replayThrough || action === null) continue;
    const guarded = guardMultiline(action, run.agent.tools.commands);
    // It was refused then.
    if (guarded.kind === 'malformed') continue;
    const { script } = guarded;
    const command = { n: step, script, ...commandLimits(script, run.task.limits) };
    await sandbox.run({ runId, epoch }, command, signal);
  }
}
