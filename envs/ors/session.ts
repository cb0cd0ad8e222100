import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { newRunId } from '../../domain/ids.js';
import type { EpisodeRow } from '../../domain/ports/episodes.js';
import { type RewardRequest, rewardRequest } from '../../domain/requests/reward.js';
import { checked } from '../checked.js';
import type { Play } from '../play.js';
import { StatusError } from './errors.js';

/** A run's id without its prefix, and a secret. */
export const SESSION_ID = /^([0-9a-z]{26})-[0-9a-f]{32}$/;

/** Also names the run, so nothing is stored before it begins, and beginning twice is harmless. */
export const newSessionId = (): string => `${newRunId().slice('r-'.length)}-${randomBytes(16).toString('hex')}`;

const sessionOf = (sid: string): string => createHash('sha256').update(sid).digest('hex');

const unknown = (): StatusError =>
  new StatusError(404, 'unknown session', 'POST /create_session, then /create, begin one.');

const createSchema = z.strictObject({
  split: z.string().min(1).nullish(),
  index: z.number().int().min(0).nullish(),
  task_spec: z.record(z.string(), z.unknown()).nullish(),
  env_name: z.string().nullish(),
  toolset_name: z.null('there are no toolsets here: the tools are those of GET /tools').optional(),
});

export interface Sessions {
  /** Idempotent. Throws BenchError (usage; conflict, `episodes.at_capacity`). */
  create(sid: string, body: unknown): Promise<EpisodeRow>;
  find(sid: string): Promise<EpisodeRow | null>;
  /** Throws StatusError: 404 if there is none, 410 if it was given up. */
  played(sid: string): Promise<EpisodeRow>;
}

/** `standard`: the server's default reward. `protocol`: stored with its episodes. */
export function openSessions(play: Play, standard: Record<string, unknown>, protocol = 'ors'): Sessions {
  const find = async (sid: string): Promise<EpisodeRow | null> =>
    SESSION_ID.test(sid) ? soon(play.ofSession(sessionOf(sid))) : null;
  return {
    find,
    async create(sid, body) {
      const runId = SESSION_ID.exec(sid)?.[1];
      if (runId === undefined) throw unknown();
      const known = await find(sid);
      if (known !== null) return known;
      const { split, index, task_spec: spec } = checked(createSchema, body ?? {});
      const named = { ...(typeof split === 'string' && { split }), ...(typeof index === 'number' && { index }) };
      const reset = { reward: rewardOf(standard), ...named, ...spec };
      const session = sessionOf(sid);
      const { episode } = await play.reset(protocol, reset, { runId: `r-${runId}`, session });
      if (episode.session !== session)
        throw new BenchError('conflict', `episode ${episode.episodeId} belongs to another session`, {
          remedy: 'Leave episode_id out, or set one that is new.',
        });
      return episode;
    },
    async played(sid) {
      const episode = await find(sid);
      if (episode === null) throw unknown();
      if (episode.ended && episode.endReason === 'cancelled')
        throw new StatusError(410, 'the session was deleted, or no client polled it for too long', 'Begin another.');
      void play.present(episode);
      return episode;
    },
  };
}

/** Trainers keep a session's last reward, so the best one at the end replaces a sum by default. */
function rewardOf(standard: Record<string, unknown>): RewardRequest | Record<string, unknown> {
  return isDeepStrictEqual({ ...standard }, { ...rewardRequest({}) }) ? rewardRequest({ mode: 'best' }) : standard;
}

const SOON_MS = 15_000;

/** Clients wait 30 s for a first byte, but minutes for a starting server. For reads. */
async function soon<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new BenchError('services', 'the database does not answer', { remedy: 'Ask again in a second.' })),
      SOON_MS,
    );
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
