import { probeEngine } from '../../backends/docker/engine.js';
import { LONG } from '../setup/long.js';
import { testPodman } from '../setup/podman-engine.js';

/**
 * Does podman play what is engine-neutral here? In the long suite: the ordinary one meets podman in frozen
 * sandboxes, evaluations of every kind and the machine's figures.
 */
export const onPodmanToo = LONG && (await probeEngine(testPodman())).kind === 'ok';
