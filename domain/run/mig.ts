/** A part of a GPU that MIG cut off: it is leased as one GPU, by its UUID. */
export interface MigInstance {
  /** The GPU's number. */
  gpu: string;
  /** Its number on the GPU. */
  device: string;
  /** As `1g.10gb`: compute slices and memory. */
  profile: string;
  uuid: string;
}

export const isMigInstance = (device: string): boolean => device.startsWith('MIG-');

/** A CUDA program sees one instance at most, so runs with several GPUs get whole ones. */
export const usableFor = (devices: readonly string[], gpus: number): string[] =>
  gpus > 1 ? devices.filter((device) => !isMigInstance(device)) : [...devices];

/** The most GPUs that one run can have of these. */
export const mostForOneRun = (devices: readonly string[]): number =>
  Math.max(usableFor(devices, 2).length, Math.min(1, devices.length));

/** The instances in `nvidia-smi -L`, which lists them below their GPUs. */
export function parseMigInstances(list: string): MigInstance[] {
  const found: MigInstance[] = [];
  let gpu: string | undefined;
  for (const line of list.split('\n')) {
    gpu = /^GPU (\d+):/.exec(line)?.[1] ?? gpu;
    const [, profile, device, uuid] = /^\s+MIG (\S+)\s+Device\s+(\d+): \(UUID: (MIG-[^\s)]+)\)/.exec(line) ?? [];
    if (gpu !== undefined && profile && device && uuid) found.push({ gpu, device, profile, uuid });
  }
  return found;
}

/**
 * On which instances something computes, by UUID, from `nvidia-smi -q -x`: its list of processes
 * alone names their instance, by ids that the GPU's list of instances resolves. A process of
 * unknown instance counts on all of its GPU.
 */
export function parseBusyInstances(xml: string, instances: readonly MigInstance[]): string[] {
  // In the order of their numbers, as everywhere in nvidia-smi.
  const busy = xml
    .split(/<gpu\b[^>]*>/)
    .slice(1)
    .flatMap((block, at) => {
      const own = instances.filter(({ gpu }) => gpu === String(at));
      const idsOf = new Map(
        elements(block, 'mig_device').map((device) => [partOf(device), valueOf(device, 'index')] as const),
      );
      return elements(block, 'process_info')
        .filter((process) => valueOf(process, 'type') !== 'G')
        .flatMap((process) => {
          const device = idsOf.get(partOf(process));
          return device === undefined ? own : own.filter((one) => one.device === device);
        });
    });
  return [...new Set(busy.map(({ uuid }) => uuid))];
}

const partOf = (element: string): string =>
  `${valueOf(element, 'gpu_instance_id')}/${valueOf(element, 'compute_instance_id')}`;

const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))].map(([, content = '']) => content);

const valueOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>\\s*([^<]*?)\\s*</${name}>`).exec(xml)?.[1];
