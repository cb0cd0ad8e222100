import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import type { WarmSandboxes } from '../../domain/ports/record/warm-sandboxes.js';
import { resetRequest } from '../../domain/requests/episode.js';
import { warmKey } from '../../domain/task/warm-key.js';
import type { Environment } from './environment.js';
import { freshRun } from './fresh-run.js';

export interface WarmPorts {
  store: Pick<WarmSandboxes, 'claimWarm' | 'requestWarm'> & Pick<RunDefinitions, 'definition'>;
}

/** A run whose sandbox is ready for this reset; null: none. The reset reports wrong requests. */
export async function claimWarmRun(
  { store }: { store: Pick<WarmSandboxes, 'claimWarm'> },
  env: Environment,
  input: unknown,
): Promise<string | null> {
  try {
    const request = resetRequest(input);
    if (request.fork_of !== undefined) return null;
    const key = warmKey({ ...(await freshRun(env, request)), runId: '' });
    if (key === null) return null;
    return await store.claimWarm(key);
  } catch {
    return null;
  }
}

/** The next episode may be like this one. */
export async function requestWarmRun({ store }: WarmPorts, runId: string): Promise<void> {
  const key = warmKey(await store.definition(runId));
  if (key !== null) await store.requestWarm(key, runId);
}
