import { describe, expect, it } from 'vitest';
import { checkHosts, refuseGpusOnPodman } from '../../../cli/submission/check-hosts.js';

const now = Date.parse('2026-01-01T12:00:00Z');
const host = (backends: string[], seenAt = '2026-01-01T11:59:30Z', gpus: string[] = []) => ({
  hostId: 'one',
  backends,
  gpus,
  seenAt,
});
const check = (hosts: ReturnType<typeof host>[], gpus = 0) => checkHosts(hosts, { backend: 'podman', gpus }, now);

describe('hosts of a batch', () => {
  it('must offer its backend, one of them', () => {
    expect(() => check([host(['docker', 'local']), host(['podman'])])).not.toThrow();
    expect(() => check([host(['docker', 'local'])])).toThrow(
      'no worker offers the backend podman (one: docker, local)',
    );
  });

  it('that have not been seen lately neither offer it nor stand in the way', () => {
    expect(() => check([host(['docker']), host(['podman'], '2026-01-01T11:00:00Z')])).toThrow('no worker offers');
    expect(() => check([host(['docker'], '2026-01-01T11:00:00Z')])).not.toThrow();
    expect(() => check([])).not.toThrow();
  });

  it('must have the GPUs that a run asks for', () => {
    expect(() => check([host(['podman'], undefined, ['0'])], 1)).not.toThrow();
    expect(() => check([host(['podman'], undefined, ['0'])], 2)).toThrow('no host has more than 1');
  });
});

it('a profile that needs fewer GPUs is proposed where there is one', () => {
  const wanted = { backend: 'docker' as const, gpus: 2, profiles: (gpus: number) => (gpus === 0 ? ['cpu'] : []) };
  const refused = (act: () => void) => {
    try {
      act();
    } catch (error) {
      return (error as { remedy?: string }).remedy;
    }
    return undefined;
  };
  expect(refused(() => checkHosts([host(['docker'])], wanted, now))).toMatch(/^Use --profile cpu/);
  expect(refused(() => checkHosts([host(['docker'], undefined, ['0'])], wanted, now))).not.toContain('--profile');
  expect(refused(() => refuseGpusOnPodman(1, 'podman', ['cpu']))).toMatch(/^Use --profile cpu/);
});

it('hosts that count memory must have as much as a run may take', () => {
  const small = { ...host(['podman']), memoryForRunsMb: 1000 };
  const wanted = { backend: 'podman' as const, gpus: 0, memoryMb: 2000 };
  expect(() => checkHosts([small], wanted, now)).toThrow('a run may take 2000 MB');
  expect(() => checkHosts([small, host(['podman'])], wanted, now)).not.toThrow();
});

it('GPUs are refused on podman, and only there', () => {
  expect(() => refuseGpusOnPodman(1, 'podman')).toThrow('podman');
  expect(() => refuseGpusOnPodman(0, 'podman')).not.toThrow();
  expect(() => refuseGpusOnPodman(1, 'docker')).not.toThrow();
});
