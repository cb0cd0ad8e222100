import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { newRunId } from '../../domain/ids.js';
import type { EpisodeRow } from '../../domain/ports/episodes.js';
import { wantEpisode } from '../../operations/episodes/act.js';
import { resetEpisode } from '../../operations/episodes/reset.js';
import type { DoorContext } from '../context.js';
import { rideOut } from '../ride-out.js';
import { wireReset } from '../wire.js';
import { checked } from '../checked.js';

const forkSchema = z.strictObject({
  at_step: z.number().int().min(1),
  count: z.number().int().min(1).max(1000).default(1),
  max_steps: z.number().int().min(1).max(100_000).optional(),
  group: z.string().min(1).max(200).optional(),
});

/** `POST …/fork` and `GET …/trajectory`. */
export function forkRoutes(
  app: FastifyInstance,
  { env }: DoorContext,
  known: (id: string) => Promise<EpisodeRow>,
): void {
  const { bench } = env;
  app.post<{ Params: { id: string } }>('/v1/episodes/:id/fork', async ({ params, body }, reply) => {
    const { count, ...rest } = checked(forkSchema, body);
    const origin = await known(params.id);
    const begun = await Promise.all(
      Array.from({ length: count }, () => {
        const runId = newRunId();
        return rideOut(() => resetEpisode(env, 'rest', { ...rest, fork_of: origin.episodeId }, runId));
      }),
    );
    await reply.code(201).send({ episodes: begun.map(wireReset) });
    await Promise.all(begun.map(({ episode }) => wantEpisode(bench, episode.runId).catch(() => undefined)));
  });

  app.get<{ Params: { id: string } }>('/v1/episodes/:id/trajectory', async ({ params }) => {
    const episode = await known(params.id);
    const { queries } = await bench.database();
    return { episode_id: episode.episodeId, run_id: episode.runId, steps: await queries.trajectory(episode.runId, 0) };
  });
}
