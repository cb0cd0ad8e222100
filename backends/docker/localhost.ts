import type Docker from 'dockerode';
import { mountedFile } from './mounted-file.js';

/** Without a network, engines mount an empty `/etc/hosts`, and localhost has no address. */
export const LOCALHOST = '127.0.0.1 localhost\n::1 localhost ip6-localhost\n';

export const localHosts = async (dir: string): Promise<Docker.MountSettings> => ({
  ...{ Type: 'bind', ReadOnly: true, Target: '/etc/hosts' },
  Source: await mountedFile(dir, 'hosts', LOCALHOST),
});
