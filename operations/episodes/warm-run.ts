import { resetRequest } from '../../domain/requests/episode.js';
import { warmKey } from '../../domain/warm-key.js';
import type { Environment } from './environment.js';
import { freshRun } from './reset.js';

/** The id of a run whose sandbox stands ready for this reset; null: none does. What is wrong with the request, the reset itself says. */
export async function claimWarmRun(env: Environment, input: unknown): Promise<string | null> {
  try {
    const request = resetRequest(input);
    if (request.fork_of !== undefined) return null;
    const key = warmKey({ ...(await freshRun(env, request)), runId: '' });
    if (key === null) return null;
    return await (await env.bench.database()).store.claimWarm(key);
  } catch {
    return null;
  }
}

/** The next episode may be like this one. */
export async function requestWarmRun({ bench }: Environment, runId: string): Promise<void> {
  const { store } = await bench.database();
  const key = warmKey(await store.definition(runId));
  if (key !== null) await store.requestWarm(key, runId);
}
