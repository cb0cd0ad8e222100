import type { FastifyPluginCallback } from 'fastify';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import type { EpisodeRow } from '../../domain/ports/episodes.js';
import { MOST_INTEGER } from '../../domain/requests/episode.js';
import { checked } from '../checked.js';
import type { ServerContext } from '../context.js';
import { goneOf } from '../gone.js';
import { sendError } from '../http-errors.js';
import type { Play } from '../play.js';
import { stillRuns } from '../soft-step.js';
import { wireReset, wireStep, type WireStep } from '../wire.js';
import { forkRoutes } from './fork.js';
import { batchSteps } from './batch-steps.js';
import { afterEnd, lateStep } from './late-step.js';

/** Most seconds that a request is held open; a client asks again. */
const MOST_WAIT = 50;

const waitSeconds = z.coerce.number().min(0).max(MOST_WAIT).default(MOST_WAIT);

const stepSchema = z.strictObject({
  action: z.unknown(),
  action_seq: z.number().int().min(1).max(MOST_INTEGER).optional(),
  wait_s: waitSeconds.optional(),
  policy_version: z.number().int().min(0).max(MOST_INTEGER).optional(),
});

/** A text alone is a command. */
const asAction = (action: unknown): unknown => (typeof action === 'string' ? { command: action } : action);

/** Still running: ask for this action again. */
interface Running {
  status: 'running';
  /** What its command has printed so far, the end of it. */
  printed: string;
  episode_id: string;
  action_seq: number;
}

/** REST in Gymnasium's shape, under /v1. */
export function restRoutes(context: ServerContext, play: Play): FastifyPluginCallback {
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
  const statusOf = (answer: WireStep | Running): number =>
    'status' in answer ? 202 : answer.info['status'] === 'errored' ? 503 : 200;

  return (app, _options, done) => {
    app.setErrorHandler((error, _request, reply) => sendError(reply, error));

    app.post('/v1/episodes', async (request, reply) =>
      reply.code(201).send(wireReset(await play.reset('rest', request.body ?? {}))),
    );

    app.get<{ Params: { id: string } }>('/v1/episodes/:id', async ({ params }) => {
      const episode = await play.known(params.id);
      const begun = wireReset(await play.beginning(episode));
      return { ...begun, action_seq: episode.seq, ended: episode.ended, end_reason: episode.endReason };
    });

    app.delete<{ Params: { id: string } }>('/v1/episodes/:id', async ({ params }) => {
      const episode = await play.known(params.id);
      await play.end(episode);
      return { episode_id: episode.episodeId, ended: true };
    });

    app.post<{ Params: { id: string } }>('/v1/episodes/:id/step', async ({ params, body }, reply) => {
      const answer = await step(params.id, body, goneOf(reply));
      return reply.code(statusOf(answer)).send(answer);
    });

    app.post<{ Params: { id: string } }>('/v1/episodes/:id/interrupt', async ({ params }) => {
      const episode = await play.known(params.id);
      if (episode.seq > 0) await play.interrupt(episode.runId, episode.seq);
      return { episode_id: episode.episodeId, action_seq: episode.seq };
    });

    app.get<{ Params: { id: string; seq: string }; Querystring: { wait_s?: string } }>(
      '/v1/episodes/:id/steps/:seq',
      async ({ params, query }, reply) => {
        const seq = checked(z.coerce.number().int().min(1).max(MOST_INTEGER), params.seq);
        const episode = await play.known(params.id);
        const late = seq > episode.seq ? await lateStep(play, episode, seq) : null;
        if (seq > episode.seq && late === null)
          throw new BenchError('not_found', `episode ${params.id} has taken no action ${seq}`, {
            remedy: `Its last one is ${episode.seq}.`,
          });
        await play.touch(episode.runId);
        const answer =
          late === null
            ? await outcomeWithin(episode, seq, checked(waitSeconds, query.wait_s ?? 0), goneOf(reply))
            : wireStep(late);
        return reply.code(statusOf(answer)).send(answer);
      },
    );

    batchSteps(app, step);
    forkRoutes(app, context, play);
    done();
  };
}
