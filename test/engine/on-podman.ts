import { probeEngine } from '../../backends/docker/engine.js';
import { LONG } from '../setup/long.js';
import { testPodman } from '../setup/podman-engine.js';

/**
 * Whether podman plays engine-neutral tests: in the long suite. The ordinary suite has podman in
 * sandbox-port-exec.test.ts.
 */
export const onPodmanToo = LONG && (await probeEngine(testPodman())).kind === 'ok';
