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

/** Whoever waits for an installation makes an image of it when it ends: a matter of minutes. */
const LAYER_KEPT_MS = 3_600_000;
const DOES_NOT_RUN = ['created', 'configured', 'exited', 'stopped', 'dead'];

/**
 * Evaluators and volumes of this home on an engine, and installations of whichever home that nobody waits for any more. Labels say
 * whose something is; names mean nothing.
 */
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
      // Podman gives no list where it has none.
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
 * Homes share them, so that they are told by their time alone. One that runs ends by itself. An image that was made of one hands the
 * label on to every container of its own, agents' and evaluators': those have other names, and a home.
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
    // Not by force: who has just found it and started it goes on.
    const remove = () => removed(container.remove({ v: true }));
    found.push({ what: 'installation', name, runId: null, epoch: null, abandoned: true, remove });
  }
  return found;
}

/** Epoch ms of a container's end, or of its making if it never ran; null: it is gone, or runs. */
async function restsSince(container: Docker.Container): Promise<number | null> {
  try {
    const { State: state, Created: created } = await container.inspect();
    if (state.Running) return null;
    // Of one that never ran the engine states an end in the year 1.
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
    // 409: it is in use, or its removal is under way; the next round finds out.
    if (statusOf(error) === 404 || statusOf(error) === 409) return false;
    throw error;
  }
}
