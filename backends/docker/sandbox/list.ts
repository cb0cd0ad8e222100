import type { SandboxRef } from '../../../domain/ports/sandbox-port.js';
import { controlDirectories } from '../../shell/control-directory.js';
import { EPOCH_LABEL, HOME_LABEL, RUN_LABEL } from '../labels.js';
import { containerName } from '../sandbox-container.js';
import type { SandboxContext } from './context.js';

/** Sandboxes of this home that the engine has, or that left a control directory. */
export async function list({ docker, layout, homeTag, backend, archiving }: SandboxContext): Promise<SandboxRef[]> {
  const containers = await docker.listContainers({ all: true, filters: { label: [`${HOME_LABEL}=${homeTag}`] } });
  const refs = new Map<string, SandboxRef>();
  // A container removed by others leaves its control directory, which stop() removes.
  for (const ref of await controlDirectories(layout, backend)) refs.set(containerName(homeTag, ref), ref);
  for (const { Labels: labels } of containers) {
    const runId = labels[RUN_LABEL];
    if (runId === undefined) continue;
    const ref = { runId, epoch: Number(labels[EPOCH_LABEL]) };
    refs.set(containerName(homeTag, ref), ref);
  }
  return [...refs].flatMap(([name, ref]) => (archiving.has(name) ? [] : [ref]));
}
