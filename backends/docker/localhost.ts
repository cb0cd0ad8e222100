import type Docker from 'dockerode';
import { mountedFile } from './mounted-file.js';

/** `/etc/hosts` of a container without a network: engines lay an empty one over the image's, and localhost has no address. */
export const LOCALHOST = '127.0.0.1 localhost\n::1 localhost ip6-localhost\n';

/** Mounts it. The file stays in `dir`, for all containers. */
export const localHosts = async (dir: string): Promise<Docker.MountSettings> => ({
  ...{ Type: 'bind', ReadOnly: true, Target: '/etc/hosts' },
  Source: await mountedFile(dir, 'hosts', LOCALHOST),
});
