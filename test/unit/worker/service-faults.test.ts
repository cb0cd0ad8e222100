import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recordServiceFault } from '../../../services/service-faults.js';
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
      ['service_ended', 'worker was ended by SIGKILL'],
      ['service_ended', 'postgres was ended by SIGKILL'],
      ['service_ended', 'temporal was ended by SIGKILL'],
    ]);
    expect(new Set(events.map((event) => event.key)).size).toBe(3);
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
});
