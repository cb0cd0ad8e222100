import type Docker from 'dockerode';
import { isRunId } from '../../domain/ids.js';
import type { Leftover, LeftoversPort } from '../../domain/ports/leftovers-port.js';
import { isAbandoned } from '../maker.js';
import { statusOf } from './engine-errors.js';
import { EPOCH_LABEL, EVALUATION_LABEL, HOME_LABEL, MAKER_LABEL, RUN_LABEL, UNTIL_LABEL } from './labels.js';

/** Evaluators and volumes of this home on an engine. Labels say whose something is; names mean nothing. */
export function createDockerLeftovers({ docker, homeTag }: { docker: Docker; homeTag: string }): LeftoversPort {
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
      return found;
    },
  };
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
