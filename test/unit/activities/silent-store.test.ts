import { expect, it } from 'vitest';
import { takeSnapshot, type SnapshotPorts } from '../../../activities/snapshot.js';

it('a snapshot that the store does not take is an event, and the run continues', async () => {
  const told: string[] = [];
  const bounds: unknown[] = [];
  const run = { runId: 'r', batchId: 'b', backend: 'local', workspaceMb: 10, task: { limits: {} } };
  const ports = {
    store: {
      snapshotAt: async () => null,
      saveSnapshot: async () => told.push('saved'),
      addEvent: async ({ kind, detail }: { kind: string; detail: string }) => told.push(`${kind}: ${detail}`),
    },
    definitions: { get: async () => run },
    backends: { local: { sandbox: { snapshot: () => [] } } },
    artifacts: {
      putStream: async (_: unknown, options: unknown) => {
        bounds.push(options);
        throw new Error('the artifact store does not answer');
      },
    },
    ...{ hostId: 'h', sharesArtifacts: true },
  } as unknown as SnapshotPorts;
  const at = { runId: 'r', step: 3, epoch: 1, reason: 'interval' } as const;
  await takeSnapshot(ports, at, new AbortController().signal);
  expect(told).toEqual(['snapshot_failed: no snapshot after step 3: the artifact store does not answer']);
  expect(bounds).toEqual([{ silenceMs: 15_000 }]);
});
