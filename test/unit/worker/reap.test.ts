import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { newRunId } from '../../../domain/ids.js';
import type { Backends } from '../../../domain/ports/backends.js';
import type { SandboxRef } from '../../../domain/ports/sandbox-port.js';
import { reap } from '../../../worker/reap.js';

/** A machine on which ended runs left sandboxes, and a store that knows them. */
function machine(sandboxes: number, stop: (ref: SandboxRef) => Promise<void>) {
  const refs = Array.from({ length: sandboxes }, () => ({ runId: newRunId(), epoch: 1 }));
  const stopped = new Set<string>();
  const sandbox = {
    list: async () => refs.filter(({ runId }) => !stopped.has(runId)),
    stop: (ref: SandboxRef) => stop(ref).then(() => stopped.add(ref.runId)),
    networkRequests: async () => [],
  };
  const nothing = { sandbox: { list: async () => [] }, leftovers: { find: async () => [] } };
  const backends = { local: nothing, podman: nothing, docker: { sandbox, leftovers: nothing.leftovers } };
  const events: string[] = [];
  const store = {
    runStates: async (ids: readonly string[]) => new Map(ids.map((id) => [id, { ended: true, epoch: 1 }])),
    addEvent: async ({ detail }: { detail: string }) => void events.push(detail),
  };
  const log = { info: vi.fn(), warn: vi.fn(), debug: vi.fn() };
  return {
    refs,
    events,
    log,
    reapAll: (roundMs?: number) => reap(store, backends as unknown as Backends, log, roundMs),
  };
}

it('sandboxes of ended runs are removed side by side, a few at once', async () => {
  let [now, most] = [0, 0];
  const { refs, events, reapAll } = machine(10, async () => {
    most = Math.max(most, ++now);
    await sleep(1);
    now -= 1;
  });
  expect(await reapAll()).toContain('docker');
  expect(most).toBe(4);
  expect(events.toSorted()).toEqual(
    refs.map(({ runId }) => `sandbox ${runId}-1 on docker was removed: its run has ended`).toSorted(),
  );
});

it('a removal that fails does not hold up the others', async () => {
  const { refs, events, log, reapAll } = machine(6, async ({ runId }) => {
    if (runId === refs[1]?.runId) throw new Error('busy');
  });
  expect(await reapAll()).not.toContain('docker');
  expect(events).toHaveLength(5);
  expect(log.warn).toHaveBeenCalledOnce();
});

it('a round does not wait for a removal that takes long; the next removes the others, and the slow one once', async () => {
  const begun: string[] = [];
  let finish = (): void => undefined;
  const slow = new Promise<void>((resolve) => (finish = resolve));
  const { refs, events, reapAll } = machine(3, async ({ runId }) => {
    begun.push(runId);
    if (runId === refs[0]?.runId) await slow;
  });
  expect(await reapAll(20)).not.toContain('docker');
  expect(events).toHaveLength(2);
  refs.push({ runId: newRunId(), epoch: 1 });
  expect(await reapAll(20)).not.toContain('docker');
  expect(events).toHaveLength(3);
  expect(begun).toEqual(refs.map(({ runId }) => runId));
  finish();
  await vi.waitFor(() => expect(events).toHaveLength(4));
});
