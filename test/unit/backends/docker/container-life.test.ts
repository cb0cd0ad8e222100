import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type Docker from 'dockerode';
import { expect, it } from 'vitest';
import { SandboxLost } from '../../../../domain/errors.js';
import { removeContainer, startContainer, waitForExit } from '../../../../backends/docker/container-life.js';

const refusal = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });
const GONE = refusal(404, 'no such container');
const ID = '3f'.repeat(32);
const HALF = refusal(500, `failed to create task for container: task ${ID}: already exists`);
const IN_USE = refusal(500, 'id already in use');
const DYING = refusal(500, 'it could not be stopped: container state improper: stopped');

/** A container whose engine answers each request with the next of these errors, then agrees. */
function containerThatAnswers(...errors: Error[]) {
  const asked: string[] = [];
  const answer = (what: string, found?: object) => async (): Promise<unknown> => {
    asked.push(what);
    const error = what === 'inspect' && errors[0] !== GONE ? undefined : errors.shift();
    if (error !== undefined) throw error;
    return found;
  };
  const inspect = answer('inspect', { Id: ID, State: { Status: 'created' } });
  const container = { start: answer('start'), remove: answer('remove'), inspect };
  return { asked, container: container as unknown as Docker.Container };
}

it('an engine that still cleans up after a container is asked again', async () => {
  const removal = containerThatAnswers(DYING, DYING);
  await removeContainer(removal.container);
  expect(removal.asked).toEqual(['inspect', 'remove', 'remove', 'remove']);
  const start = containerThatAnswers(DYING);
  await startContainer(start.container);
  expect(start.asked).toEqual(['start', 'start']);
});

/** What an engine's death leaves of a container's start. */
async function shim(): Promise<ChildProcess> {
  const idle = ['-e', 'console.log(1); setInterval(() => undefined, 1000)', '--', '-namespace', 'moby', '-id', ID];
  const child = spawn(process.execPath, idle, { argv0: '/usr/bin/containerd-shim-runc-v2' });
  await once(child.stdout, 'data');
  return child;
}

it.runIf(process.platform === 'linux')(
  'a container that an engine left half-started at its death starts when the rest of that start is cleared away',
  async () => {
    const child = await shim();
    const ended = once(child, 'exit');
    const half = containerThatAnswers(HALF, IN_USE);
    await startContainer(half.container);
    expect(half.asked).toEqual(['start', 'inspect', 'start', 'start']);
    expect(await ended).toEqual([null, 'SIGKILL']);
  },
);

it.each([HALF, IN_USE])(
  'one whose rest cannot be cleared away is removed and counts as lost: $message',
  async (refused) => {
    const half = containerThatAnswers(refused);
    const start = startContainer(half.container);
    await expect(start).rejects.toThrow(SandboxLost);
    await expect(start).rejects.toThrow(refused.message);
    expect(half.asked).toEqual(['start', 'inspect', 'inspect', 'remove']);
  },
);

it.runIf(process.platform === 'linux')('a half-started one is removed with what is left of its start', async () => {
  const child = await shim();
  const ended = once(child, 'exit');
  await removeContainer(containerThatAnswers().container);
  expect(await ended).toEqual([null, 'SIGKILL']);
});

it('no container, or one that another removes, counts as removed', async () => {
  const absent = containerThatAnswers(GONE);
  await removeContainer(absent.container);
  expect(absent.asked).toEqual(['inspect']);
  const going = containerThatAnswers(refusal(409, 'removal is in progress'), GONE);
  await removeContainer(going.container);
  expect(going.asked).toEqual(['inspect', 'remove', 'inspect']);
});

it('one whose name another has by now counts as removed', async () => {
  const ids = [ID, ID, 'a5'.repeat(32)];
  const container = {
    inspect: async () => ({ Id: ids.shift(), State: { Status: 'running' } }),
    remove: async () => {
      throw refusal(409, 'removal is in progress');
    },
  } as unknown as Docker.Container;
  await removeContainer(container);
  expect(ids).toEqual([]);
});

it('other errors of the engine are told', async () => {
  await expect(removeContainer(containerThatAnswers(refusal(500, 'no space left')).container)).rejects.toThrow(
    'no space left',
  );
});

it('a container has ended though the connection that waited for it broke off without a word', async () => {
  const states = [{ Status: 'running' }, { Status: 'exited', ExitCode: 3 }];
  const container = {
    wait: () => new Promise(() => undefined),
    inspect: async () => ({ State: states.shift() }),
  } as unknown as Docker.Container;
  expect(await waitForExit(container, new AbortController().signal, 1)).toBe(3);
});

it('waiting for a container ends with its signal', async () => {
  const container = {
    wait: () => new Promise(() => undefined),
    inspect: async () => ({ State: { Status: 'running' } }),
  } as unknown as Docker.Container;
  const limit = new AbortController();
  const waiting = waitForExit(container, limit.signal, 1);
  limit.abort(new Error('too long'));
  await expect(waiting).rejects.toThrow('too long');
});
