import type { EpisodeRow, Episodes, NewEpisode } from '../../domain/ports/episodes.js';
import { resetRequest } from '../../domain/requests/episode.js';
import { rewardRequest } from '../../domain/requests/reward.js';
import { beginning, type BeginningPorts, type BegunEpisode } from './beginning.js';
import type { Environment } from './environment.js';
import { forkedRun, type ForkPorts, freshRun } from './fresh-run.js';
import { type BaselinePorts, requireBaselines } from './require-baselines.js';
import { type RoomPorts, withRoomFor } from './room.js';

export interface AskedReset {
  input: unknown;
  /** Idempotency key. */
  runId: string;
  /** Hash of the client's session key; null: none. */
  session: string | null;
}

export type ResetPorts = BeginningPorts &
  ForkPorts &
  BaselinePorts &
  RoomPorts & {
    episodes: Pick<Episodes, 'create'>;
  };

/**
 * Stores an episode and returns its first observation, from the task's record. `wantEpisode` starts
 * the sandbox. A stored episode's id returns that episode.
 * @throws BenchError (usage) that names a wrong key; (not_found) for an unknown task, split or
 * episode; (conflict, `episodes.at_capacity`).
 */
export async function resetEpisode(
  ports: ResetPorts,
  env: Environment,
  protocol: string,
  asked: AskedReset,
): Promise<BegunEpisode> {
  const [begun] = await resetEpisodes(ports, env, protocol, [asked]);
  if (begun === undefined) throw new Error('no episode was requested');
  return begun;
}

/** All or none, if there is no capacity for all. Throws as one reset does. */
export async function resetEpisodes(
  ports: ResetPorts,
  env: Environment,
  protocol: string,
  asked: readonly AskedReset[],
): Promise<BegunEpisode[]> {
  const began = performance.now();
  const { episodes } = ports;
  // A wrong request fails before it waits for capacity.
  const found = await Promise.all(asked.map((one) => knownOrNew(ports, env, protocol, one)));
  const begin = async (one: (typeof found)[number]): Promise<BegunEpisode> => {
    if ('known' in one) return beginning(ports, one.known);
    const { row } = await episodes.create({ ...one, resetMs: performance.now() - began }, env.harnessVersion);
    return beginning(ports, row, row.runId === one.run.runId ? one.run : undefined);
  };
  const runIds = found.flatMap((one) => ('known' in one ? [] : [one.run.runId]));
  return withRoomFor(ports, env, runIds, async () => {
    // Each keeps its place until all are written or have failed.
    const ends = await Promise.allSettled(found.map(begin));
    return ends.map((end) => {
      if (end.status === 'rejected') throw end.reason;
      return end.value;
    });
  });
}

async function knownOrNew(
  ports: ForkPorts & BaselinePorts,
  env: Environment,
  protocol: string,
  { input, runId, session }: AskedReset,
): Promise<{ known: EpisodeRow } | Omit<NewEpisode, 'resetMs'>> {
  const request = resetRequest(input);
  const episodeId = request.episode_id ?? runId;
  const known = await ports.episodes.find(episodeId);
  if (known !== null) return { known };
  const { fork_of: origin } = request;
  const made = origin === undefined ? await freshRun(env, request) : await forkedRun(ports, env, request, origin);
  const run = { ...made, runId };
  const reward = request.reward === undefined ? env.options.reward : rewardRequest(request.reward);
  await requireBaselines(ports, [run], reward);
  return {
    run,
    protocol,
    session,
    episodeId,
    reset: request,
    reward,
    idleSeconds: Math.ceil(request.idle_s ?? env.options.idleSeconds),
    deadlineAt: request.deadline_s === undefined ? null : new Date(Date.now() + request.deadline_s * 1000),
  };
}
