import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEngine } from '../../backends/docker/engine.js';
import { unenforcedLimits } from '../../backends/docker/enforced-limits.js';
import type { RunDetail } from '../../domain/views/runs.js';
import { noRootlessPodman } from '../setup/ordinary-user.js';
import { RootlessPodman } from '../setup/rootless-podman.js';
import { notTested } from '../setup/not-tested.js';

const missing = await noRootlessPodman();
if (missing !== null) notTested('podman of an ordinary user', missing);

describe.skipIf(missing !== null)('an ordinary user with podman', () => {
  let podman: RootlessPodman;
  beforeAll(async () => {
    podman = await RootlessPodman.start();
  });
  afterAll(() => podman.stop());

  const play = async (...args: string[]): Promise<RunDetail> => {
    const { batchId } = await podman.bench<{ batchId: string }>(...args, '--wait');
    const { runs } = await podman.bench<{ runs: { runId: string }[] }>('runs', batchId);
    return await podman.bench<RunDetail>('show', runs[0]?.runId ?? '');
  };

  it('plays and forks runs; they say which limits are not enforced, and fewer are taken at a time', async () => {
    const unenforced = await unenforcedLimits(connectEngine(podman.address));
    const run = await play(
      ...['submit', '--backend', 'podman', '--models', 'scripted:counter', '--tasks', 'battleOfSexes'],
      ...['--attempts', '1', '--snapshot-every', '3'],
    );
    expect(run).toMatchObject({
      backend: 'podman',
      endReason: 'submit',
      isolation: 'container',
      unenforcedLimits: unenforced,
    });
    expect(run.finalScore).toBeGreaterThan(0);

    const fork = await play('fork', run.runId, '--at-step', '7');
    expect(fork).toMatchObject({ endReason: 'submit', steps: run.steps, unenforcedLimits: unenforced });

    const { hosts } = await podman.bench<{ hosts: { slots: number }[] }>('hosts');
    expect(hosts[0]?.slots).toBe(unenforced.includes('memory') ? Math.min(64, availableParallelism()) : 64);
  });
});
