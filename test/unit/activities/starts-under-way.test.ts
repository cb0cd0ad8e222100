import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { containerActivities, type ContainerPorts } from '../../../activities/container.js';
import type { RunDefinition } from '../../../domain/run/run.js';
import { agentConfig, taskSpec } from '../../fakes/records.js';

const context = { heartbeat: () => undefined, cancellationSignal: new AbortController().signal };
const as = <T>(work: () => Promise<T>): Promise<T> => asyncLocalStorage.run(context as unknown as Context, work);

/** A host whose engine makes a container when it is let, and the containers that it has. */
function host() {
  const there = new Set<string>();
  const told: string[] = [];
  let finish = (): void => undefined;
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const made = new Promise<void>((resolve) => (finish = resolve));
  const nameOf = ({ runId, epoch }: { runId: string; epoch: number }) => `${runId}-${epoch}`;
  const sandbox = {
    list: async () => [...there].map((name) => ({ runId: name.slice(0, -2), epoch: Number(name.slice(-1)) })),
    networkRequests: async () => [],
    async start(spec: { runId: string; epoch: number }) {
      begin();
      await made;
      there.add(nameOf(spec));
      return { isolation: 'container', imageDigest: null, workspace: '/w', workspaceLimit: null };
    },
    stop: async (ref: { runId: string; epoch: number }) => void there.delete(nameOf(ref)),
  };
  const run = { runId: 'r-test', batchId: 'b', backend: 'docker', agent: agentConfig(), task: taskSpec() };
  const note = (what: string) => async () => void told.push(what);
  const ports = {
    store: {
      beginEpoch: async () => true,
      lastExecuted: async () => 0,
      recordedCommands: async () => [],
      sandboxStarted: note('started'),
      addEvent: note('event'),
    },
    definitions: { get: async () => run as unknown as RunDefinition, forget: () => undefined },
    backends: { docker: { sandbox } },
    hostId: 'here',
    taskFolder: async () => '/task',
  };
  const activities = containerActivities(ports as unknown as ContainerPorts);
  return { activities, there, told, begun, finish: () => finish() };
}
const start = { runId: 'r-test', epoch: 1, devices: [], replayThrough: 0 };

it('a container whose run ended while it was made is removed by its own start', async () => {
  const { activities, there, told, begun, finish } = host();
  const started = as(() => activities.startContainer(start));
  await begun;
  await as(() => activities.stopContainer({ runId: 'r-test' }));
  finish();
  await expect(started).rejects.toThrow('run r-test ended while container 1 was started');
  expect([...there]).toEqual([]);
  expect(told).toEqual([]);
});

it('the end of another run takes nothing away', async () => {
  const { activities, there, told, begun, finish } = host();
  const started = as(() => activities.startContainer(start));
  await begun;
  await as(() => activities.stopContainer({ runId: 'r-other' }));
  finish();
  await started;
  expect([...there]).toEqual(['r-test-1']);
  expect(told).toEqual(['started']);
});

it('a run that begins anew after its end has a container again', async () => {
  const { activities, there, finish } = host();
  await as(() => activities.stopContainer({ runId: 'r-test' }));
  finish();
  await as(() => activities.startContainer({ ...start, epoch: 2 }));
  expect([...there]).toEqual(['r-test-2']);
});
