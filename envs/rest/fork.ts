import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { MOST_INTEGER } from '../../domain/requests/episode.js';
import { episodeSnapshots, episodeSteps } from '../../operations/episodes/episode-record.js';
import type { ServerContext } from '../context.js';
import type { Play } from '../play.js';
import { wireReset } from '../wire.js';
import { checked } from '../checked.js';

const forkSchema = z.strictObject({
  at_step: z.number().int().min(1).max(MOST_INTEGER),
  fork_id: z.string().min(1).max(200).optional(),
  count: z.number().int().min(1).max(1000).default(1),
  max_steps: z.number().int().min(1).max(100_000).optional(),
  max_validations: z.number().int().min(0).max(100_000).optional(),
  group: z.string().min(1).max(200).optional(),
});

/** `POST …/fork`, and what there is to fork: `GET …/trajectory`, `GET …/snapshots`. */
export function forkRoutes(app: FastifyInstance, { bench }: ServerContext, play: Play): void {
  app.post<{ Params: { id: string } }>('/v1/episodes/:id/fork', async ({ params, body }, reply) => {
    const { count, fork_id: forkId, ...rest } = checked(forkSchema, body);
    const origin = await play.known(params.id);
    const begun = await play.resetAll(
      'rest',
      Array.from({ length: count }, (_, nth) => ({
        ...rest,
        fork_of: origin.episodeId,
        // So that the same fork again is the same episodes.
        ...(forkId !== undefined && { episode_id: `${forkId}-${nth}` }),
      })),
    );
    return reply.code(201).send({ episodes: begun.map(wireReset) });
  });

  app.get<{ Params: { id: string } }>('/v1/episodes/:id/trajectory', async ({ params }) => {
    const episode = await play.known(params.id);
    return { episode_id: episode.episodeId, run_id: episode.runId, steps: await episodeSteps(bench, episode.runId) };
  });

  app.get<{ Params: { id: string } }>('/v1/episodes/:id/snapshots', async ({ params }) => {
    const episode = await play.known(params.id);
    const snapshots = await episodeSnapshots(bench, episode.runId);
    return { episode_id: episode.episodeId, run_id: episode.runId, snapshots };
  });
}
