/**
 * Podman's default limits may exceed what its service is allowed to set. Processes are counted per
 * host user over all containers, so PidsLimit is what counts.
 */
export const PODMAN_PROCESSES = { Name: 'nproc', Soft: 16_384, Hard: 16_384 };
export const PODMAN_ULIMITS = [{ Name: 'nofile', Soft: 8192, Hard: 8192 }, PODMAN_PROCESSES];
