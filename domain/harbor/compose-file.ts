/** Part of a compose file that reaches out of the task's one container. */
export interface ComposeRefusal {
  /** `services.main.volumes[0]` */
  key: string;
  reason: string;
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Harbor's agent lives in the service `main`. */
const MAIN = 'main';
const FORBIDDEN: readonly [key: string, reason: string][] = [
  ['privileged', 'the container is privileged'],
  ['cap_add', 'the container gets further capabilities'],
  ['devices', 'the container gets devices of the host'],
  ['pid', 'it shares the processes of the host'],
  ['ipc', 'it uses the shared memory of the host'],
  ['network_mode', 'it has no network of its own'],
  ['env_file', 'a file of the host is read as secrets'],
  ['secrets', 'it requests secrets of the host'],
  ['security_opt', 'it changes its isolation'],
];

/** Everything unsafe in a parsed compose file; empty: one isolated container. */
export function composeRefusals(file: unknown): ComposeRefusal[] {
  if (!isTable(file) || !isTable(file['services'])) return [{ key: 'services', reason: 'there are no services' }];
  const refusals: ComposeRefusal[] = [];
  const refuse = (key: string, reason: string): void => void refusals.push({ key, reason });
  for (const key of ['include', 'secrets', 'configs'])
    if (file[key] !== undefined) refuse(key, 'files outside of the task are read');
  for (const [name, service] of Object.entries(file['services'])) {
    const at = `services.${name}`;
    if (name !== MAIN) refuse(at, 'several containers: bench supports one per task');
    if (!isTable(service)) continue;
    for (const [key, reason] of FORBIDDEN)
      if (service[key] !== undefined && service[key] !== false) refuse(`${at}.${key}`, reason);
    if (service['extends'] !== undefined) refuse(`${at}.extends`, 'files outside of the task are read');
    const volumes = Array.isArray(service['volumes']) ? (service['volumes'] as unknown[]) : [];
    for (const [index, volume] of volumes.entries())
      if (isHostMount(volume)) refuse(`${at}.volumes[${index}]`, 'a folder of the host is mounted');
  }
  return refusals;
}

/** Named volumes begin with a letter or digit; others are host paths or variables. */
function isHostMount(volume: unknown): boolean {
  if (typeof volume === 'string') {
    const [source = ''] = volume.split(':');
    return volume.includes(':') && !/^[A-Za-z0-9][\w.-]*$/.test(source);
  }
  return !isTable(volume) || (volume['type'] !== 'volume' && volume['type'] !== 'tmpfs');
}
