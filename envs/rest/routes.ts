import { Hono } from 'hono';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import type { EpisodeRow } from '../../domain/ports/episodes.js';
import { MOST_INTEGER } from '../../domain/requests/episode.js';
import { checked } from '../checked.js';
import type { ServerContext } from '../context.js';
import { json, sendError } from '../http-errors.js';
import type { Play } from '../play.js';
import { bodyOf, type ServerEnv } from '../request.js';
import { stillRuns } from '../soft-step.js';
import { wireReset, wireStep, type WireStep } from '../wire.js';
import { forkRoutes } from './fork.js';
import { batchSteps } from './batch-steps.js';
import { afterEnd, lateStep } from './late-step.js';

/** In seconds; a client retries. */
const MOST_WAIT = 50;

const waitSeconds = z.coerce.number().min(0).max(MOST_WAIT).default(MOST_WAIT);

const stepSchema = z.strictObject({
  action: z.unknown(),
  action_seq: z.number().int().min(1).max(MOST_INTEGER).optional(),
  wait_s: waitSeconds.optional(),
  policy_version: z.number().int().min(0).max(MOST_INTEGER).optional(),
});

const asAction = (action: unknown): unknown => (typeof action === 'string' ? { command: action } : action);

interface Running {
  status: 'running';
  /** End of the command's output so far. */
  printed: string;
  episode_id: string;
  action_seq: number;
}

export function restRoutes(context: ServerContext, play: Play): Hono<ServerEnv> {
  const outcomeWithin = async (
    episode: EpisodeRow,
    seq: number,
    seconds: number,
    gone: AbortSignal,
  ): Promise<WireStep | Running> => {
    const played = await play.outcome(episode, seq, seconds, gone);
    if (played === null) {
      const { printed } = await stillRuns(play, episode, seq);
      return { status: 'running', episode_id: episode.episodeId, action_seq: seq, printed };
    }
    return wireStep(played);
  };
  const step = async (id: string, body: unknown, gone: AbortSignal): Promise<WireStep | Running> => {
    const {
      action,
      action_seq: seq,
      wait_s: wait = MOST_WAIT,
      policy_version: policyVersion,
    } = checked(stepSchema, body);
    const episode = await play.known(id);
    const numbered = { action: asAction(action), seq: seq ?? null, policyVersion: policyVersion ?? null };
    let taken: number;
    try {
      taken = await play.act(episode, numbered);
    } catch (refused) {
      return wireStep(await afterEnd(play, id, numbered.seq, refused));
    }
    return outcomeWithin(episode, taken, wait, gone);
  };
  const statusOf = (answer: WireStep | Running): 200 | 202 | 503 =>
    'status' in answer ? 202 : answer.info['status'] === 'errored' ? 503 : 200;

  const app = new Hono<ServerEnv>().onError(sendError);

  app.post('/v1/episodes', async (c) => json(c, wireReset(await play.reset('rest', (await bodyOf(c)) ?? {})), 201));

  app.get('/v1/episodes/:id', async (c) => {
    const episode = await play.known(c.req.param('id'));
    const begun = wireReset(await play.beginning(episode));
    return json(c, { ...begun, action_seq: episode.seq, ended: episode.ended, end_reason: episode.endReason });
  });

  app.delete('/v1/episodes/:id', async (c) => {
    const episode = await play.known(c.req.param('id'));
    await play.end(episode);
    return json(c, { episode_id: episode.episodeId, ended: true });
  });

  app.post('/v1/episodes/:id/step', async (c) => {
    const answer = await step(c.req.param('id'), await bodyOf(c), c.req.raw.signal);
    return json(c, answer, statusOf(answer));
  });

  app.post('/v1/episodes/:id/interrupt', async (c) => {
    const episode = await play.known(c.req.param('id'));
    if (episode.seq > 0) await play.interrupt(episode.runId, episode.seq);
    return json(c, { episode_id: episode.episodeId, action_seq: episode.seq });
  });

  app.get('/v1/episodes/:id/steps/:seq', async (c) => {
    const id = c.req.param('id');
    const seq = checked(z.coerce.number().int().min(1).max(MOST_INTEGER), c.req.param('seq'));
    const episode = await play.known(id);
    const late = seq > episode.seq ? await lateStep(play, episode, seq) : null;
    if (seq > episode.seq && late === null)
      throw new BenchError('not_found', `episode ${id} has taken no action ${seq}`, {
        remedy: `Its last one is ${episode.seq}.`,
      });
    await play.touch(episode.runId);
    const wait = (): number => checked(waitSeconds, c.req.query('wait_s') ?? 0);
    const answer = late === null ? await outcomeWithin(episode, seq, wait(), c.req.raw.signal) : wireStep(late);
    return json(c, answer, statusOf(answer));
  });

  batchSteps(app, step);
  forkRoutes(app, context, play);
  return app;
}
