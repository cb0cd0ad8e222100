import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { servicePaths } from '../../../services/home-paths.js';
import { identify } from '../../../services/process-identity.js';
import { recordBothDied, recordServiceFault, showAlive } from '../../../services/service-faults.js';
import { serviceFaultReporter } from '../../../worker/service-faults.js';

const dir = mkdtempSync(join(tmpdir(), 'bench-unit-faults-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const fault = (service: string, second: number) => ({
  service,
  at: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`,
  reason: 'was ended by SIGKILL',
});

function recorder() {
  const events: { kind: string; key: string; detail: string }[] = [];
  const store = {
    away: false,
    addEvent(event: { kind: string; key: string; detail: string }): Promise<void> {
      if (store.away) return Promise.reject(new Error('the database does not answer'));
      events.push({ kind: event.kind, key: event.key, detail: event.detail });
      return Promise.resolve();
    },
  };
  return { events, store };
}

describe('deaths of services become events', () => {
  it('once each, also those that were written while the database was away', async () => {
    const file = join(dir, 'faults.jsonl');
    const { events, store } = recorder();
    const report = serviceFaultReporter(store, file);
    await report();
    expect(events).toEqual([]);

    recordServiceFault(file, fault('worker', 1));
    recordServiceFault(file, fault('postgres', 2));
    store.away = true;
    await expect(report()).rejects.toThrow('does not answer');
    store.away = false;
    await report();
    recordServiceFault(file, fault('temporal', 3));
    await report();
    await report();
    expect(events.map(({ kind, detail }) => [kind, detail])).toEqual([
      ['service_failed', 'worker was ended by SIGKILL'],
      ['service_failed', 'postgres was ended by SIGKILL'],
      ['service_failed', 'temporal was ended by SIGKILL'],
    ]);
    expect(new Set(events.map((event) => event.key)).size).toBe(3);
  });

  it('of their own kind when what a service stored was lost', async () => {
    const file = join(dir, 'lost.jsonl');
    const { events, store } = recorder();
    const reason = 'its store was damaged';
    recordServiceFault(file, { ...fault('temporal', 1), kind: 'store_replaced', reason });
    recordServiceFault(file, fault('temporal', 1));
    await serviceFaultReporter(store, file)();
    expect(events.map(({ kind, detail }) => [kind, detail])).toEqual([
      ['temporal_store_replaced', 'temporal: its store was damaged'],
      ['service_failed', 'temporal was ended by SIGKILL'],
    ]);
    expect(new Set(events.map((event) => event.key)).size).toBe(2);
  });

  it('a line cut by a full disk is passed over', async () => {
    const file = join(dir, 'cut.jsonl');
    const { events, store } = recorder();
    appendFileSync(file, '{"service":"wor\n');
    recordServiceFault(file, fault('worker', 4));
    await serviceFaultReporter(store, file)();
    expect(events).toHaveLength(1);
  });

  it('the file stays bounded, and a disk that takes no lines does no harm', () => {
    const file = join(dir, 'large.jsonl');
    writeFileSync(file, 'x'.repeat(1024 * 1024 + 1));
    expect(recordServiceFault(file, fault('worker', 5))).toBe(true);
    expect(statSync(file).size).toBeLessThan(200);
    expect(recordServiceFault(join(dir, 'missing', 'faults.jsonl'), fault('worker', 6))).toBe(false);
  });

  it('also of a supervisor and its guardian, which could not tell; not while either lives, nor where they have stopped', async () => {
    const { events, store } = recorder();
    const paths = servicePaths(join(dir, 'home'));
    mkdirSync(paths.own, { recursive: true });
    const living = identify(process.pid);
    const dead = { pid: process.pid, startTime: 'of another process' };
    const supervisor = {
      ...dead,
      startedAt: '2026-01-01T00:00:00.000Z',
      build: { version: '', hash: '', folder: '' },
    };
    const found = (of: object) =>
      recordBothDied(paths, { ...supervisor, ...of } as Parameters<typeof recordBothDied>[1]);
    found({ guardian: living });
    found({ ...living, guardian: null });
    recordBothDied(paths, null);
    const report = serviceFaultReporter(store, paths.layout.serviceFaults);
    await report();
    expect(events).toEqual([]);

    found({ guardian: null });
    showAlive(paths);
    const seen = new Date('2026-02-02T00:00:00.000Z');
    utimesSync(paths.alive, seen, seen);
    found({ guardian: dead });
    await report();
    expect(events.map(({ detail }) => detail)).toEqual(
      ['2026-01-01', '2026-02-02'].map(
        (day) =>
          `supervisor and its guardian died; they were last alive at ${day}T00:00:00.000Z, and left the services to themselves`,
      ),
    );
  });
});
