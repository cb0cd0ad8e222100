import type Docker from 'dockerode';
import { expect, it } from 'vitest';
import { SandboxLost } from '../../../domain/errors.js';
import { removeContainer, startContainer, waitForExit } from '../../../activities/docker/container-life.js';

const refusal = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });
const DYING = refusal(500, 'it could not be stopped: container state improper: stopped');

/** A container whose engine answers each request with the next of these errors, then agrees. */
function containerThatAnswers(...errors: Error[]) {
  const asked: string[] = [];
  const answer = (what: string) => async () => {
    asked.push(what);
    const error = errors.shift();
    if (error !== undefined) throw error;
  };
  const container = { start: answer('start'), remove: answer('remove'), inspect: answer('inspect') };
  return { asked, container: container as unknown as Docker.Container };
}

it('an engine that still cleans up after a container is asked again', async () => {
  const removal = containerThatAnswers(DYING, DYING);
  await removeContainer(removal.container);
  expect(removal.asked).toEqual(['remove', 'remove', 'remove']);
  const start = containerThatAnswers(DYING);
  await startContainer(start.container);
  expect(start.asked).toEqual(['start', 'start']);
});

it('a container that an engine left half-started at its death is removed and counts as lost', async () => {
  const task = `failed to create task for container: task ${'3f'.repeat(32)}: already exists`;
  const half = containerThatAnswers(refusal(500, task));
  const start = startContainer(half.container);
  await expect(start).rejects.toThrow(SandboxLost);
  await expect(start).rejects.toThrow('already exists');
  expect(half.asked).toEqual(['start', 'remove']);
});

it('no container, or one that another removes, counts as removed', async () => {
  const absent = containerThatAnswers(refusal(404, 'no such container'));
  await removeContainer(absent.container);
  expect(absent.asked).toEqual(['remove']);
  const going = containerThatAnswers(refusal(409, 'removal is in progress'), refusal(404, 'no such container'));
  await removeContainer(going.container);
  expect(going.asked).toEqual(['remove', 'inspect']);
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
