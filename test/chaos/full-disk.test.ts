import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { LONG } from '../setup/long.js';
import { mountSmallDisk, type SmallDisk } from '../setup/small-disk.js';
import { batchOutcome, counterReadings, repeatedCalls } from './batch-outcome.js';

const STEPS = 15;
const ATTEMPTS = LONG ? 2 : 1;
const MODELS = `scripted:counter:${STEPS},scripted:optimum`;
const COUNTS = Array.from({ length: STEPS }, (_, i) => i + 1);
const PATIENT = { timeout: 600_000, interval: 500 };

/** A disk of the home's own takes root, as do disks of runs. */
describe.runIf(process.getuid?.() === 0)('a home whose disk is full until workspaces break', () => {
  let home: BenchHome;
  let disk: SmallDisk;

  beforeAll(async () => {
    home = new BenchHome();
    disk = mountSmallDisk(home.dir, '3G');
    await home.json('up');
  });
  afterAll(async () => {
    disk.free();
    await home.run('down', '--force');
    disk.unmount();
    await home.remove();
  });

  const submit = async (): Promise<string> => {
    const matrix = ['--models', MODELS, '--tasks', 'battleOfSexes', '--attempts', String(ATTEMPTS), '--seed', '7'];
    return (await home.json<{ batchId: string }>('submit', ...matrix, '--backend', 'docker')).batchId;
  };
  const untilEnded = (batchId: string) =>
    vi.waitFor(async () => {
      const [batch] = await home.sql<{ status: string }>('select status from batches where batch_id = $1', [batchId]);
      expect(batch?.status).toBe('ended');
    }, PATIENT);
  const processes = () => {
    const file = JSON.parse(readFileSync(join(home.dir, 'services.json'), 'utf8')) as {
      supervisor: { pid: number };
      services: { worker: { process: { pid: number } | null } };
    };
    return { supervisor: file.supervisor.pid, worker: file.services.worker.process?.pid };
  };
  /** File systems of runs that the kernel has given up. */
  const broken = (): string[] => {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    const ours = mounts.filter((line) => line.includes(` ${home.dir}/runs/`));
    for (const line of ours)
      execFileSync('sh', ['-c', 'sync -f "$1" || true', '-', line.split(' ')[4] ?? ''], { stdio: 'ignore' });
    return ours.filter((line) => /[ ,](emergency_)?ro(,|$)/.test(line));
  };

  it('goes on by itself: same scores, exact counters, and neither worker nor supervisor has ended', async () => {
    const undisturbedId = await submit();
    await untilEnded(undisturbedId);
    const undisturbed = await batchOutcome(home, undisturbedId);
    expect(undisturbed.map((run) => [run.end_reason, run.final_evaluation])).toEqual(
      Array(2 * ATTEMPTS).fill(['submit', 'ok']),
    );
    const before = processes();

    const batchId = await submit();
    await vi.waitFor(async () => {
      const begun = await home.sql('select 1 from runs where batch_id = $1 and step >= 3', [batchId]);
      expect(begun.length).toBeGreaterThan(0);
    }, PATIENT);
    disk.fill();
    // On a quiet machine a run notices it, and its disk is gone, between two looks.
    const waits = () => home.sql(`select from events where batch_id = $1 and kind = 'disk_low'`, [batchId]);
    await vi.waitFor(async () => expect([...broken(), ...(await waits())]).not.toEqual([]), PATIENT);
    // Until everything that writes a log has met it.
    await new Promise((resolve) => setTimeout(resolve, LONG ? 20_000 : 10_000));
    disk.free();
    await untilEnded(batchId);

    expect(await batchOutcome(home, batchId)).toEqual(undisturbed);
    expect(await counterReadings(home, batchId)).toEqual(Array(ATTEMPTS).fill(COUNTS));
    expect(await repeatedCalls(home, batchId)).toEqual([]);
    // The kernel gave it up, or the largest writer was stopped before that.
    const lost = await home.sql<{ detail: string }>(
      `select detail from events where batch_id = $1 and kind = 'sandbox_lost'`,
      [batchId],
    );
    expect(lost).not.toEqual([]);
    expect(processes()).toEqual(before);
  });
});
