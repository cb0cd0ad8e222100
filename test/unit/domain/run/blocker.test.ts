import { describe, expect, it } from 'vitest';
import { blockerOfRows, blockerOfServices, type HostFacts, type BlockerFacts } from '../../../../domain/run/blocker.js';
import type { ProviderTrouble } from '../../../../domain/views/provider-trouble.js';

const host = (hostId: string, more: Partial<HostFacts> = {}): HostFacts => ({
  ...{ hostId, state: 'up', pauseReason: null, seenAt: '2026-01-31T12:00:00.000Z', runs: 0 },
  ...more,
});
const trouble = (runs: number): ProviderTrouble => ({
  ...{ model: 'm', endpoint: 'api/v1', error: 'rate_limit', detail: 'openai: too many requests', runs },
  ...{ at: '2026-01-31T12:00:00.000Z', nextTryAt: null },
});
const byRows = (facts: Partial<BlockerFacts>) =>
  blockerOfRows({ hosts: [host('a')], byStatus: {}, storeFailure: null, providerErrors: [], ...facts });

describe('what blocks a batch', () => {
  const full = host('a', { state: 'paused', pauseReason: 'its disk is full: 10 MB are free, less than 1024 MB' });
  const silent = host('b', { state: 'silent', runs: 2 });
  it.each<[string, Partial<BlockerFacts>, string, string]>([
    [
      'a full disk',
      { hosts: [full], byStatus: { waiting_host: 1 } },
      'disk',
      'no host accepts runs: a is paused: its disk',
    ],
    ['drained hosts', { hosts: [host('a', { state: 'drained' })], byStatus: { queued: 1 } }, 'host', 'a is drained'],
    ['its artifacts', { byStatus: { running: 1 }, storeFailure: 'the artifact store is away' }, 'artifacts', 'is away'],
    ['a silent host', { hosts: [host('a'), silent], byStatus: { running: 3 } }, 'host', 'host b since 2026-01-31'],
    [
      'a provider',
      { byStatus: { running: 2 }, providerErrors: [trouble(2)] },
      'provider',
      'too many requests: 2 runs wait',
    ],
    ['GPUs of others', { byStatus: { waiting_gpu: 1, ended: 4 } }, 'gpus', '1 run waits for GPUs'],
    ['hosts without room', { byStatus: { waiting_host: 2 } }, 'host', '2 runs wait for a host with room'],
  ])('is %s', (_what, facts, cause, words) => {
    expect(byRows(facts)).toEqual({ cause, detail: expect.stringContaining(words) as string });
  });

  it.each<[string, Partial<BlockerFacts>]>([
    ['runs that move while others wait', { byStatus: { running: 1, waiting_gpu: 3 } }],
    ['a model that fails while another answers', { byStatus: { running: 2 }, providerErrors: [trouble(1)] }],
    ['a silent host without its runs', { hosts: [host('a'), { ...silent, runs: 0 }], byStatus: { running: 1 } }],
    ['a host that takes no new runs, and no run that waits', { hosts: [full], byStatus: { running: 1 } }],
    ['no host that was ever known', { hosts: [], byStatus: { queued: 1 } }],
  ])('is not %s', (_what, facts) => {
    expect(byRows(facts)).toBeNull();
  });
});

it('services that are away hold up everything, Temporal first', () => {
  expect(blockerOfServices({ temporal: null, restarting: [] })).toBeNull();
  const worker = { name: 'worker', reason: 'was ended by SIGKILL' };
  expect(blockerOfServices({ temporal: null, restarting: [worker] })).toEqual({
    cause: 'services',
    detail: 'being restarted: worker (was ended by SIGKILL)',
  });
  expect(blockerOfServices({ temporal: 'a:1: ECONNREFUSED', restarting: [worker] })).toEqual({
    cause: 'temporal',
    detail: 'Temporal does not answer: a:1: ECONNREFUSED; being restarted: worker (was ended by SIGKILL)',
  });
});
