import { expect, it } from 'vitest';
import { sandboxContainer } from '../../../../backends/docker/sandbox-container.js';

const container = (gpuDevices: string[]) =>
  sandboxContainer(
    {
      ...{ runId: 'r', epoch: 1, starterDir: '/s', network: 'none', gpuDevices },
      limits: { memoryMb: 512, cpus: 1, pids: 10 },
    },
    {
      homeTag: 't',
      imageRef: 'i',
      podman: false,
      control: null,
      disk: null,
      ranksProcesses: true,
      figures: [],
      relay: null,
    },
  );

it('a container gets the leased devices and no others', () => {
  const { Env: env, HostConfig: host } = container(['2', '5']);
  expect(host?.DeviceRequests).toEqual([{ Driver: 'nvidia', DeviceIDs: ['2', '5'], Capabilities: [['gpu']] }]);
  expect(env).toEqual(expect.arrayContaining(['NVIDIA_VISIBLE_DEVICES=2,5', 'CUDA_VISIBLE_DEVICES=0,1']));
});

it('without a lease it sees none, whatever its image asks for', () => {
  const { Env: env, HostConfig: host } = container([]);
  expect(host?.DeviceRequests).toBeUndefined();
  expect(env).toEqual(expect.arrayContaining(['NVIDIA_VISIBLE_DEVICES=void', 'CUDA_VISIBLE_DEVICES=']));
});

it('a MIG instance is named by its UUID', () => {
  const uuid = 'MIG-0c757cd7-e942-5726-a0b8-0e8fb7067135';
  const { Env: env, HostConfig: host } = container([uuid]);
  expect(host?.DeviceRequests).toMatchObject([{ DeviceIDs: [uuid] }]);
  expect(env).toEqual(expect.arrayContaining([`NVIDIA_VISIBLE_DEVICES=${uuid}`, `CUDA_VISIBLE_DEVICES=${uuid}`]));
});
