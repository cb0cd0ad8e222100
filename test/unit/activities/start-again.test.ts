import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { containerActivities, type ContainerPorts } from '../../../activities/container.js';
import type { Snapshot } from '../../../domain/ports/record/snapshots.js';
import type { SandboxCommand, SandboxSpec } from '../../../domain/ports/sandbox-port.js';
import { InfrastructureError } from '../../../domain/errors.js';
import type { RunDefinition } from '../../../domain/run/run.js';
import { agentConfig, stepRecord, taskSpec } from '../../fakes/records.js';

const context = { heartbeat: () => undefined, cancellationSignal: new AbortController().signal };
const as = <T>(work: () => Promise<T>): Promise<T> => asyncLocalStorage.run(context as unknown as Context, work);

/** A run of six steps moves to a host whose sandbox shows the commands in `world`. */
function host(kept: number[]) {
  const snapshots = kept.map((step): Snapshot => archiveAfter(step));
  const missing = new Set<string>();
  const failing = new Set<number>();
  let world: number[] | null = null;
  let begun: number | null = null;
  const sandbox = {
    begunAfter: async () => begun,
    async start({ restoredStep = 0 }: SandboxSpec) {
      begun ??= restoredStep;
      world ??= upTo(restoredStep);
      return { isolation: 'container', imageDigest: null, workspace: '/w', workspaceLimit: null };
    },
    async run(_: unknown, { n }: SandboxCommand) {
      if (failing.delete(n)) throw new InfrastructureError('the engine does not answer');
      if (world?.includes(n) === false) world.push(n);
      return { exitCode: 0, timedOut: false, lost: false };
    },
    async stop() {
      [world, begun] = [null, null];
    },
  };
  const run = { runId: 'r-test', batchId: 'b', backend: 'docker', agent: agentConfig(), task: taskSpec() };
  const ignored = async () => undefined;
  const ports = {
    store: {
      ...{ setStatus: ignored, sandboxStarted: ignored, addEvent: ignored, beginEpoch: async () => true },
      lastExecuted: async () => 6,
      recordedCommands: async (_: string, { after, through }: { after: number; through: number }) =>
        upTo(through)
          .slice(after)
          .map((step) => stepRecord({ step })),
      snapshotAt: async (_: string, step: number) =>
        snapshots.filter((one) => one.step <= step).sort((a, b) => b.step - a.step)[0] ?? null,
      async forgetSnapshot(_: string, { step }: Snapshot) {
        snapshots.splice(0, Infinity, ...snapshots.filter((one) => one.step !== step));
      },
    },
    artifacts: { check: async (sha256: string) => (missing.has(sha256) ? null : 1) },
    definitions: { get: async () => run as unknown as RunDefinition, forget: () => undefined },
    backends: { docker: { sandbox } },
    hostId: 'here',
    taskFolder: async () => '/task',
  };
  const activities = containerActivities(ports as unknown as ContainerPorts);
  const start = () => as(() => activities.startContainer({ runId: 'r-test', epoch: 2, devices: [], replayThrough: 6 }));
  return { start, failing, missing, snapshots, world: () => world };
}
const upTo = (step: number): number[] => Array.from({ length: step }, (_, i) => i + 1);
const archiveAfter = (step: number): Snapshot => ({
  ...{ step, epoch: 1, artifact: `after-${step}`, bytes: 1, disk: null, diskHost: null },
});

it('a start that is tried again reruns all that its sandbox lacks, whatever snapshot came meanwhile', async () => {
  const { start, failing, snapshots, world } = host([2]);
  failing.add(4);
  await expect(start()).rejects.toThrow('the engine does not answer');
  // The host that the run left has only now kept this one.
  snapshots.push(archiveAfter(5));
  await start();
  expect(world()).toEqual([1, 2, 3, 4, 5, 6]);
});

it('a sandbox whose snapshot went missing before all was rerun is made anew from an earlier one', async () => {
  const { start, failing, missing, world } = host([1, 3]);
  failing.add(5);
  await expect(start()).rejects.toThrow('the engine does not answer');
  missing.add('after-3');
  await start();
  expect(world()).toEqual([1, 2, 3, 4, 5, 6]);
});

it('a sandbox that began with the starter files keeps them', async () => {
  const { start, failing, snapshots, world } = host([]);
  failing.add(3);
  await expect(start()).rejects.toThrow('the engine does not answer');
  snapshots.push(archiveAfter(5));
  await start();
  expect(world()).toEqual([1, 2, 3, 4, 5, 6]);
});
