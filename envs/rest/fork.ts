import type { Hono } from 'hono';
import { z } from 'zod';
import { MOST_INTEGER } from '../../domain/requests/episode.js';
import { episodeSnapshots, episodeSteps } from '../../operations/episodes/episode-record.js';
import type { ServerContext } from '../context.js';
import type { Play } from '../play.js';
import { wireReset } from '../wire.js';
import { checked } from '../checked.js';
import { json } from '../http-errors.js';
import { bodyOf, type ServerEnv } from '../request.js';

const forkSchema = z.strictObject({
  at_step: z.number().int().min(1).max(MOST_INTEGER),
  fork_id: z.string().min(1).max(200).optional(),
  count: z.number().int().min(1).max(1000).default(1),
  max_steps: z.number().int().min(1).max(100_000).optional(),
  max_validations: z.number().int().min(0).max(100_000).optional(),
  group: z.string().min(1).max(200).optional(),
});

/** `POST …/fork`, and what can be forked: `GET …/trajectory`, `GET …/snapshots`. */
export function forkRoutes(app: Hono<ServerEnv>, { bench }: ServerContext, play: Play): void {
  app.post('/v1/episodes/:id/fork', async (c) => {
    const { count, fork_id: forkId, ...rest } = checked(forkSchema, await bodyOf(c));
    const origin = await play.known(c.req.param('id'));
    const begun = await play.resetAll(
      'rest',
      Array.from({ length: count }, (_, nth) => ({
        ...rest,
        fork_of: origin.episodeId,
        // So that a repeated fork gives the same episodes.
        ...(forkId !== undefined && { episode_id: `${forkId}-${nth}` }),
      })),
    );
    return json(c, { episodes: begun.map(wireReset) }, 201);
  });

  app.get('/v1/episodes/:id/trajectory', async (c) => {
    const episode = await play.known(c.req.param('id'));
    const steps = await episodeSteps(bench, episode.runId);
    return json(c, { episode_id: episode.episodeId, run_id: episode.runId, steps });
  });

  app.get('/v1/episodes/:id/snapshots', async (c) => {
    const episode = await play.known(c.req.param('id'));
    const snapshots = await episodeSnapshots(bench, episode.runId);
    return json(c, { episode_id: episode.episodeId, run_id: episode.runId, snapshots });
  });
}
