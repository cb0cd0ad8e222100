import { plural } from '../text/format.js';
import type { Blocker } from '../views/blocker.js';
import type { ProviderTrouble } from '../views/provider-trouble.js';

export interface HostFacts {
  hostId: string;
  state: 'up' | 'silent' | 'lost' | 'paused' | 'drained' | 'leaving';
  pauseReason: string | null;
  seenAt: string;
  runs: number;
}

export interface BlockerFacts {
  hosts: readonly HostFacts[];
  byStatus: Readonly<Record<string, number>>;
  /** The artifact store's latest failure since the last step. */
  storeFailure: string | null;
  providerErrors: readonly ProviderTrouble[];
}

export interface ServiceFacts {
  /** Why Temporal does not answer; null: it does. */
  temporal: string | null;
  /** Services that are restarting. */
  restarting: readonly { name: string; reason: string | null }[];
}

const wait = (count: number): string => `${plural(count, 'run')} ${count === 1 ? 'waits' : 'wait'}`;

/** A service that blocks all batches. */
export function blockerOfServices({ temporal, restarting }: ServiceFacts): Blocker | null {
  const names = restarting.map(({ name, reason }) => (reason === null ? name : `${name} (${reason})`));
  if (temporal !== null) {
    const more = names.length === 0 ? '' : `; being restarted: ${names.join(', ')}`;
    return { cause: 'temporal', detail: `Temporal does not answer: ${temporal}${more}` };
  }
  return names.length === 0 ? null : { cause: 'services', detail: `being restarted: ${names.join(', ')}` };
}

/** The widest blocking cause by the rows. Null: runs progress, or wait for their turn. */
export function blockerOfRows({ hosts, byStatus, storeFailure, providerErrors }: BlockerFacts): Blocker | null {
  const count = (...names: string[]): number => names.reduce((sum, name) => sum + (byStatus[name] ?? 0), 0);
  const moving = count('starting', 'running', 'finishing');
  const up = hosts.some(({ state }) => state === 'up');
  if (!up && count('queued', 'waiting_gpu', 'waiting_host') > 0 && hosts.length > 0) return noHost(hosts);
  if (storeFailure !== null) return { cause: 'artifacts', detail: storeFailure };
  const silent = hosts.filter(({ state, runs: on }) => (state === 'silent' || state === 'lost') && on > 0);
  if (silent.length > 0) {
    const which = silent.map(({ hostId, seenAt, runs: on }) => `${hostId} since ${seenAt} (${plural(on, 'run')})`);
    return { cause: 'host', detail: `not reporting: host ${which.join(', ')}` };
  }
  const [trouble] = providerErrors;
  if (trouble !== undefined && providerErrors.reduce((sum, one) => sum + one.runs, 0) >= moving)
    return { cause: 'provider', detail: `${trouble.detail}: ${wait(trouble.runs)} for ${trouble.model}` };
  if (moving > 0) return null;
  const forGpus = count('waiting_gpu');
  if (forGpus > 0) return { cause: 'gpus', detail: `${wait(forGpus)} for GPUs` };
  const forHost = count('waiting_host');
  return forHost === 0 ? null : { cause: 'host', detail: `${wait(forHost)} for a host with room` };
}

function noHost(hosts: readonly HostFacts[]): Blocker {
  const full = hosts.filter(({ state, pauseReason }) => state === 'paused' && pauseReason?.includes('disk') === true);
  const words = hosts.map(
    ({ hostId, state, pauseReason }) => `${hostId} is ${state}${pauseReason === null ? '' : `: ${pauseReason}`}`,
  );
  return { cause: full.length > 0 ? 'disk' : 'host', detail: `no host accepts runs: ${words.join('; ')}` };
}
