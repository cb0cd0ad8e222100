import { expect, it } from 'vitest';
import type { RunStore } from '../../../domain/ports/run-store.js';
import type { Backends } from '../../../domain/ports/backends.js';
import type { ArtifactStore } from '../../../domain/ports/artifact-store.js';
import { HostDeparture } from '../../../worker/departure.js';

it('a host registers until its archives are made, and not after it has said that it has left', async () => {
  const told: string[] = [];
  const sandbox = { list: async () => [], stop: async () => undefined };
  const departure = new HostDeparture({
    store: {
      ...{ placedRuns: async () => [], addEvent: async () => undefined },
      hostLeft: async () => void told.push('left'),
    } as unknown as RunStore,
    backends: { docker: { sandbox }, podman: { sandbox }, local: { sandbox } } as unknown as Backends,
    ...{ artifacts: {} as ArtifactStore, sharesArtifacts: true, hostId: 'h', isLent: true },
    ...{ graceSeconds: 300, log: { info: () => undefined, warn: () => undefined } },
  });
  await departure.begin('a test', async () => void told.push('announced'));
  await departure.finish({
    async archive() {
      await new Promise((resolve) => setTimeout(resolve, 5));
      told.push('archived');
    },
    async stopBeating() {
      await new Promise((resolve) => setTimeout(resolve, 5));
      told.push('beats no more');
    },
  });
  expect(told).toEqual(['announced', 'archived', 'beats no more', 'left']);
});
