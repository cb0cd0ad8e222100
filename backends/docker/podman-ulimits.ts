/** Podman's defaults may exceed what its service may set. PidsLimit is what counts. */
export const PODMAN_PROCESSES = { Name: 'nproc', Soft: 16_384, Hard: 16_384 };
export const PODMAN_ULIMITS = [{ Name: 'nofile', Soft: 8192, Hard: 8192 }, PODMAN_PROCESSES];
