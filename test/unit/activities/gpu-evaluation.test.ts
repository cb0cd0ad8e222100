import type Docker from 'dockerode';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { evaluateOnSplit, type SplitPorts } from '../../../activities/evaluate-on-split.js';
import { createDockerEvaluator } from '../../../backends/docker/evaluator.js';
import type { EvaluationOutcome } from '../../../domain/ports/evaluator-port.js';
import type { RunDefinition } from '../../../domain/run/run.js';
import { needsGpu } from '../../../domain/task/evaluator-spec.js';
import { taskSpec } from '../../fakes/records.js';

let taskDir: string;
beforeEach(() => {
  taskDir = mkdtempSync(join(tmpdir(), 'bench-test-gpu-evaluation-'));
  mkdirSync(join(taskDir, 'evaluator'));
});
afterEach(() => rmSync(taskDir, { recursive: true }));

/** An engine that notes the containers it is asked for, and keeps none. */
function engine() {
  const created: Docker.ContainerCreateOptions[] = [];
  const removed: string[] = [];
  const container = {
    inspect: async () => ({ Id: 'one', State: { Status: 'running' } }),
    remove: async () => void removed.push('one'),
    putArchive: async () => undefined,
    start: async () => undefined,
    wait: async () => Promise.reject(new Error('the evaluation is not played here')),
  };
  const docker = {
    getContainer: () => ({
      inspect: async () => Promise.reject(Object.assign(new Error('none'), { statusCode: 404 })),
    }),
    createContainer: async (options: Docker.ContainerCreateOptions) => (created.push(options), container),
    version: async () => ({ Components: [{ Name: 'Engine' }] }),
    getImage: () => ({ tag: async () => undefined }),
  };
  return { docker: docker as unknown as Docker, created, removed };
}

/** Leases in turn, as PostgreSQL answers. */
async function evaluate(gpu: boolean, leases: string[][]) {
  const { docker, created, removed } = engine();
  const evaluator = createDockerEvaluator({ docker, imageRef: 'i', homeTag: 't' });
  const asked: string[] = [];
  const ports = {
    store: { devicesOf: async (runId: string) => (asked.push(runId), leases.shift() ?? []) },
    backends: { docker: { evaluator } },
    taskFolder: async () => taskDir,
    secret: '00',
  } as unknown as SplitPorts;
  const evaluatorSpec = { ...taskSpec().evaluator, ...(gpu && { gpu: true }) };
  const run = {
    ...{ runId: 'r-test', batchId: 'b-test', backend: 'docker', attempt: 1, seed: 1, model: { name: 'm' } },
    task: { ...taskSpec(), evaluator: evaluatorSpec },
  } as unknown as RunDefinition;
  const outcome: EvaluationOutcome | string = await evaluateOnSplit(
    ports,
    { run, step: 3, kind: 'validate' },
    'test',
    { sha256: 'a', files: [] },
    new AbortController().signal,
  ).catch((error: unknown) => (error as Error).message);
  return { outcome, created, removed, asked };
}

it('an evaluator that needs a GPU gets those that its run has leased', async () => {
  const { created, outcome } = await evaluate(true, [['MIG-a'], ['MIG-a']]);
  expect(created[0]?.HostConfig?.DeviceRequests).toEqual([
    { Driver: 'nvidia', DeviceIDs: ['MIG-a'], Capabilities: [['gpu']] },
  ]);
  expect(created[0]?.Env).toEqual(['NVIDIA_VISIBLE_DEVICES=MIG-a', 'CUDA_VISIBLE_DEVICES=MIG-a']);
  expect(outcome).toContain('not played here');
});

it('others get none, and no lease is looked up', async () => {
  const { created, asked } = await evaluate(false, [['0']]);
  expect(created[0]?.HostConfig?.DeviceRequests).toBeUndefined();
  expect(created[0]?.Env).toBeUndefined();
  expect(asked).toEqual([]);
});

it('without a lease nothing is evaluated', async () => {
  const { outcome, created } = await evaluate(true, [[]]);
  expect(outcome).toBe('run r-test: its evaluation needs a GPU, and the run has no lease now');
  expect(created).toEqual([]);
});

it('a container whose lease was revoked while it was made is removed before it computes', async () => {
  const { outcome, removed } = await evaluate(true, [['0'], []]);
  expect(outcome).toContain('the lease of its GPUs has ended');
  expect(removed).toEqual(['one']);
});

it('tests in the sandbox itself need no GPU besides its own', () => {
  const harbor = { kind: 'harbor', workdir: '/app', gpu: true } as const;
  const spec = (verification: 'live' | 'clean-room') =>
    needsGpu({ ...harbor, verification, ctrf: false, inProcess: false, env: {}, timeoutSeconds: 1, memoryMb: 1 });
  expect([spec('live'), spec('clean-room')]).toEqual([false, true]);
});
