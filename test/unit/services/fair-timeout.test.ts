import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FairTimeout, readThreads, type ThreadTime } from '../../../services/fair-timeout.js';
import { SupervisedService } from '../../../services/supervised-service.js';

const dir = mkdtempSync(join(tmpdir(), 'bench-timeout-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const LIMIT_MS = 60_000;

/** Seconds until it is over for a process that gets this much in each second of a machine. */
function secondsUntilOver(eachSecond: { ran: number; waited: number; busy: boolean }): number {
  let now = 0;
  const thread: ThreadTime = { ran: 0, waited: 0, busy: eachSecond.busy };
  const timeout = new FairTimeout(
    LIMIT_MS,
    () => new Map([[1, { ...thread }]]),
    () => now,
  );
  for (;;) {
    now += 1000;
    thread.ran += eachSecond.ran;
    thread.waited += eachSecond.waited;
    if (timeout.isOver()) return now / 1000;
    if (now > 10_000_000) return Infinity;
  }
}

describe('a fair timeout', () => {
  it('is the limit when it hangs, asleep or stopped or spinning on an idle machine', () => {
    expect(secondsUntilOver({ ran: 0, waited: 0, busy: false })).toBe(61);
    expect(secondsUntilOver({ ran: 1e9, waited: 0, busy: true })).toBe(61);
    // Its timers tick, and wait longer for a CPU than they run.
    expect(secondsUntilOver({ ran: 0.001e9, waited: 0.01e9, busy: false })).toBe(61);
  });

  it('grows with the load: at 40 for two CPUs twenty times the limit, and has an end', () => {
    expect(secondsUntilOver({ ran: 0.05e9, waited: 0.95e9, busy: true })).toBeCloseTo(1200, -1);
    expect(secondsUntilOver({ ran: 1, waited: 1e9, busy: true })).toBe(3601);
    // Not one turn: its wait is in no number yet.
    expect(secondsUntilOver({ ran: 0, waited: 0, busy: true })).toBe(3601);
  });

  it('begins anew when something happens, and counts whole seconds where the system tells nothing', () => {
    let now = 0;
    const timeout = new FairTimeout(
      LIMIT_MS,
      () => null,
      () => now,
    );
    now = 59_000;
    expect(timeout.isOver()).toBe(false);
    timeout.renew();
    now += 59_000;
    expect(timeout.isOver()).toBe(false);
    now += 2000;
    expect(timeout.isOver()).toBe(true);
  });

  it.skipIf(process.platform !== 'linux')('looks at what a process started, too', async () => {
    const child = spawn('/bin/sh', ['-c', 'sleep 600 & echo ready; while :; do :; done'], { detached: true });
    try {
      await once(child.stdout, 'data');
      const pid = child.pid ?? 0;
      expect(readThreads(pid)?.size).toBe(2);
      const ran = () => readThreads(pid)?.get(pid)?.ran ?? 0;
      const before = ran();
      while (ran() === before) await new Promise((resolve) => setTimeout(resolve, 5));
    } finally {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    }
    await once(child, 'close');
    expect(readThreads(child.pid ?? 0)).toBeNull();
  });
});

describe('a supervised service', () => {
  /** A day passes at each look of the clock; the process tells nothing of its CPU time. */
  function supervise(answers: (boolean | 'busy')[]) {
    let now = 0;
    const said: string[] = [];
    let healthy: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (healthy = resolve));
    const service = new SupervisedService(
      {
        name: 'postgres',
        log: join(dir, 'service.log'),
        launch: async () => ({ command: ['/bin/sleep', '600'], env: {}, cwd: dir }),
        probe: async () => answers.shift() ?? true,
        stopWith: [['SIGKILL', 60_000]],
      },
      () => {
        if (service.healthy) healthy();
      },
      (line) => said.push(line),
      () => undefined,
      (_identity, limitMs) =>
        new FairTimeout(
          limitMs,
          () => null,
          () => (now += 24 * 3_600_000),
        ),
    );
    service.start();
    return { service, said, done };
  }

  it('is not killed in its start while it says that it works', async () => {
    const { service, said, done } = supervise(['busy', 'busy', 'busy', 'busy']);
    await done;
    expect([service.state.restarts, said.join('\n')]).toEqual([0, expect.not.stringContaining('killing')]);
    await service.stop();
  });

  it('is killed in its start when it says nothing', async () => {
    const { service, said, done } = supervise([false]);
    await done;
    expect(service.state.restarts).toBe(1);
    expect(said).toContain('postgres: no answer within 120 s of its time after the start; killing it');
    await service.stop();
  });
});
