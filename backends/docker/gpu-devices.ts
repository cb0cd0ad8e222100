import type Docker from 'dockerode';
import { isMigInstance } from '../../domain/run/mig.js';

/** Part of HostConfig; needs NVIDIA's container toolkit. */
export const gpuRequests = (devices: readonly string[]): Pick<Docker.HostConfig, 'DeviceRequests'> =>
  devices.length === 0
    ? {}
    : { DeviceRequests: [{ Driver: 'nvidia', DeviceIDs: [...devices], Capabilities: [['gpu']] }] };

/**
 * CUDA numbers visible GPUs from 0, and names MIG instances by UUID. Without a lease none is
 * visible, even if the image asks.
 */
export const gpuEnvironment = (devices: readonly string[]): string[] => [
  `NVIDIA_VISIBLE_DEVICES=${devices.length === 0 ? 'void' : devices.join(',')}`,
  `CUDA_VISIBLE_DEVICES=${devices.map((device, i) => (isMigInstance(device) ? device : i)).join(',')}`,
];
