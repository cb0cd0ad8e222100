import { describe, expect, it } from 'vitest';
import { checkHosts, refuseGpusOnPodman } from '../../../../operations/batches/check-hosts.js';

const now = Date.parse('2026-01-01T12:00:00Z');
const host = (backends: string[], seenAt = '2026-01-01T11:59:30Z', gpus: string[] = [], hostId = 'one') => ({
  hostId,
  backends,
  gpus,
  seenAt,
});
const check = (hosts: ReturnType<typeof host>[], gpus = 0) => checkHosts(hosts, { backend: 'podman', gpus }, now);

const refused = (act: () => void) => {
  try {
    act();
  } catch (error) {
    return (error as { remedy?: string }).remedy;
  }
  return undefined;
};

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

  it('with MIG instances alone have one GPU for a run', () => {
    const instances = host(['podman'], undefined, ['MIG-a', 'MIG-b']);
    expect(() => check([instances], 1)).not.toThrow();
    expect(() => check([instances], 2)).toThrow('no host has more than 1');
  });

  it('must have the GPUs that a run asks for', () => {
    expect(() => check([host(['podman'], undefined, ['0'])], 1)).not.toThrow();
    expect(() => check([host(['podman'], undefined, ['0'])], 2)).toThrow('no host has more than 1');
  });
});

it('a profile that needs fewer GPUs is proposed where there is one', () => {
  const wanted = { backend: 'docker' as const, gpus: 2, profiles: (gpus: number) => (gpus === 0 ? ['cpu'] : []) };
  expect(refused(() => checkHosts([host(['docker'])], wanted, now))).toMatch(/^Use the profile cpu/);
  expect(refused(() => checkHosts([host(['docker'], undefined, ['0'])], wanted, now))).not.toContain('profile');
  expect(refused(() => refuseGpusOnPodman(1, 'podman', ['cpu']))).toMatch(/^Use the profile cpu/);
});

describe('GPUs and the backend of a run', () => {
  const gpus = ['0', '1'];
  const wanted = { backend: 'docker' as const, gpus: 2 };
  const strong = (...backends: string[]) => host(backends, undefined, gpus, 'strong');
  const weak = (...mine: string[]) => host(['docker', 'local'], undefined, mine, 'weak');

  it('must be on one host', () => {
    expect(() => checkHosts([strong('local'), weak()], wanted, now)).toThrow(
      'a run asks for 2 GPUs on docker, but no host has both: strong does not offer docker; weak has no GPUs',
    );
    expect(() => checkHosts([strong('local', 'docker'), weak()], wanted, now)).not.toThrow();
    expect(() => checkHosts([strong('local'), weak()], { ...wanted, backend: 'local' }, now)).not.toThrow();
    expect(() => checkHosts([strong('local'), weak()], { ...wanted, gpus: 0 }, now)).not.toThrow();
  });

  it('that no host has together: the remedies name where the engine is lacking, and what would do', () => {
    const remedy = (...hosts: ReturnType<typeof host>[]) =>
      refused(() => checkHosts(hosts, { ...wanted, profiles: (most) => (most === 0 ? ['cpu'] : ['one-gpu']) }, now));
    expect(remedy(strong('local'), weak())).toMatch(/^Use the profile cpu, .* docker on strong .* ask for no GPUs/);
    expect(remedy(strong('local'), weak('0'))).toMatch(/^Use the profile one-gpu, .* at most 1 GPUs per run/);
  });

  it('may be on a host that is away and was last seen with both', () => {
    const away = host(['docker'], '2026-01-01T11:00:00Z', gpus, 'away');
    expect(() => checkHosts([away, weak()], wanted, now)).not.toThrow();
  });
});

it('hosts that count memory must have as much as a run may take', () => {
  const small = { ...host(['podman']), memoryForRunsMb: 1000 };
  const wanted = { backend: 'podman' as const, gpus: 0, memoryMb: 2000 };
  expect(() => checkHosts([small], wanted, now)).toThrow('a run may use 2000 MB');
  expect(() => checkHosts([small, host(['podman'])], wanted, now)).not.toThrow();
  expect(() => checkHosts([small, host(['docker'])], wanted, now)).toThrow('no host that offers podman');
});

it('GPUs are refused on podman, and only there', () => {
  expect(() => refuseGpusOnPodman(1, 'podman')).toThrow('podman');
  expect(() => refuseGpusOnPodman(0, 'podman')).not.toThrow();
  expect(() => refuseGpusOnPodman(1, 'docker')).not.toThrow();
});
