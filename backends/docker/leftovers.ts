import type Docker from 'dockerode';
import { isRunId } from '../../domain/ids.js';
import type { Leftover, LeftoversPort } from '../../domain/ports/leftovers-port.js';
import { isAbandoned } from '../mark.js';
import { statusOf } from './engine-errors.js';
import {
  EPOCH_LABEL,
  EVALUATION_LABEL,
  HOME_LABEL,
  LAYER_LABEL,
  LAYER_NAME,
  MAKER_LABEL,
  RUN_LABEL,
  UNTIL_LABEL,
} from './labels.js';

/** An awaited installation becomes an image within minutes of its end. */
const LAYER_KEPT_MS = 3_600_000;
const DOES_NOT_RUN = ['created', 'configured', 'exited', 'stopped', 'dead'];

/** Of this home, and installations of any home that no process awaits. Labels show ownership. */
export function createDockerLeftovers({
  docker,
  homeTag,
  now = Date.now,
}: {
  docker: Docker;
  homeTag: string;
  now?: () => number;
}): LeftoversPort {
  const filters = { label: [`${HOME_LABEL}=${homeTag}`] };
  return {
    async find() {
      const found: Leftover[] = [];
      for (const { Id: id, Labels: labels, Names: names } of await docker.listContainers({ all: true, filters })) {
        // Others are sandboxes and their proxies.
        if (labels[EVALUATION_LABEL] === undefined) continue;
        const name = names[0]?.replace(/^\//, '') ?? id;
        const remove = () => removed(docker.getContainer(id).remove({ force: true, v: true }));
        found.push({ what: 'evaluator', name, ...(await ownerOf(labels)), remove });
      }
      // Podman returns null instead of an empty list.
      const { Volumes: volumes } = await docker.listVolumes({ filters });
      for (const { Name: name, Labels: labels } of volumes ?? []) {
        const remove = () => removed(docker.getVolume(name).remove());
        found.push({ what: 'volume', name, ...(await ownerOf(labels ?? {})), remove });
      }
      return [...found, ...(await forgottenLayers(docker, now()))];
    },
  };
}

/**
 * Homes share installations, so only age shows that one is abandoned; a running one ends on its
 * own. Containers made from such an image inherit its label, but have other names and a home.
 */
async function forgottenLayers(docker: Docker, now: number): Promise<Leftover[]> {
  const found: Leftover[] = [];
  const filters = { label: [LAYER_LABEL] };
  for (const { Id: id, Names: names, State: state, Labels: labels } of await docker.listContainers({
    all: true,
    filters,
  })) {
    if (!DOES_NOT_RUN.includes(state)) continue;
    if (labels[HOME_LABEL] !== undefined || !names.some((name) => name.startsWith(`/${LAYER_NAME}`))) continue;
    const container = docker.getContainer(id);
    const since = await restsSince(container);
    if (since === null || now - since < LAYER_KEPT_MS) continue;
    const name = names[0]?.replace(/^\//, '') ?? id;
    // Not forced: another process may just have started it.
    const remove = () => removed(container.remove({ v: true }));
    found.push({ what: 'installation', name, runId: null, epoch: null, abandoned: true, remove });
  }
  return found;
}

/** Time of a container's end, or of creation if it never ran (epoch ms); null: gone or running. */
async function restsSince(container: Docker.Container): Promise<number | null> {
  try {
    const { State: state, Created: created } = await container.inspect();
    if (state.Running) return null;
    // The engine dates the end of a container that never ran to the year 1.
    return Math.max(Date.parse(state.FinishedAt) || 0, Date.parse(created));
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

async function ownerOf(labels: Record<string, string>): Promise<Pick<Leftover, 'runId' | 'epoch' | 'abandoned'>> {
  const ofEvaluation = labels[EVALUATION_LABEL]?.slice(0, RUN_ID_LENGTH);
  const runId = labels[RUN_LABEL] ?? (ofEvaluation !== undefined && isRunId(ofEvaluation) ? ofEvaluation : null);
  const epoch = labels[EPOCH_LABEL] === undefined ? null : Number(labels[EPOCH_LABEL]);
  const [maker, until] = [labels[MAKER_LABEL], labels[UNTIL_LABEL]];
  const abandoned = maker !== undefined && (await isAbandoned({ maker, until: Number(until) }));
  return { runId, epoch, abandoned };
}

const RUN_ID_LENGTH = 28;

async function removed(removal: Promise<unknown>): Promise<boolean> {
  try {
    await removal;
    return true;
  } catch (error) {
    // 409: in use, or being removed; the next round sees which.
    if (statusOf(error) === 404 || statusOf(error) === 409) return false;
    throw error;
  }
}
