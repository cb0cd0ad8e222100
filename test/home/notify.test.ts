import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NotificationBody, NotificationsDocument } from '../../domain/views/notifications.js';
import { chooseFreePort } from '../../services/index.js';
import { readServicesFile } from '../../services/services-file.js';
import { BenchHome } from '../setup/bench-home.js';
import { receiver } from '../setup/receiver.js';
import { until } from '../setup/services-home.js';

const SECRET = 'path-that-lets-anybody-post';

describe('a webhook that is away when a batch ends', () => {
  let home: BenchHome;
  let port: number;
  beforeAll(async () => {
    port = await chooseFreePort(`notify ${process.pid} ${Date.now()}`);
    home = new BenchHome({ BENCH_NOTIFY_URL: `http://127.0.0.1:${port}/${SECRET}` });
  });
  afterAll(() => home.remove());

  it('is told once it is there, though the worker was killed in between', async () => {
    const { exitCode, stderr } = await home.run(
      ...['submit', '--models', 'scripted:baseline', '--tasks', 'battleOfSexes', '--attempts', '1'],
      ...['--backend', 'local', '--wait'],
    );
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    const latest = async () => (await home.json<NotificationsDocument>('notify', 'list')).notifications[0];
    await until('a try has failed', async () => (await latest())?.error === 'ECONNREFUSED');
    expect(await latest()).toMatchObject({ kind: 'ended', state: 'waiting' });
    const refused = await home.run('notify', 'test', '--json');
    expect([refused.exitCode, JSON.parse(refused.stdout)]).toEqual([
      1,
      expect.objectContaining({ ok: false, error: 'ECONNREFUSED' }),
    ]);
    process.kill(readServicesFile(join(home.dir, 'services.json'))!.services.worker!.process!.pid, 'SIGKILL');

    const there = await receiver(port);
    try {
      await until('it was told', async () => there.received.length > 0);
      const [got] = there.received;
      expect(JSON.parse(got?.body ?? '')).toMatchObject({
        event: 'batch.ended',
        batch: { ended: 1, byEndReason: { submit: 1 } } as Partial<NotificationBody['batch']>,
      });
      await until('it is noted', async () => (await latest())?.state === 'sent');
      expect((await home.json<{ ok: boolean }>('notify', 'test')).ok).toBe(true);
      expect(there.received).toHaveLength(2);
    } finally {
      await there.close();
    }
    expect((await home.run('notify')).stdout).not.toContain(SECRET);
  });
});
