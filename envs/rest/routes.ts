import type { FastifyPluginCallback } from 'fastify';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { newRunId } from '../../domain/ids.js';
import type { EpisodeRow } from '../../domain/ports/episodes.js';
import { act, refusal, wantEpisode } from '../../operations/episodes/act.js';
import { endEpisode } from '../../operations/episodes/end.js';
import { waitOutcome } from '../../operations/episodes/outcome.js';
import { beginning, resetEpisode } from '../../operations/episodes/reset.js';
import { checked } from '../checked.js';
import type { DoorContext } from '../context.js';
import { sendError } from '../http-errors.js';
import { rideOut } from '../ride-out.js';
import { wireReset, wireStep, type WireStep } from '../wire.js';
import { forkRoutes } from './fork.js';
import { batchSteps } from './batch-steps.js';

/** Most seconds that a request is held open; a client asks again. */
const MOST_WAIT = 50;

const waitSeconds = z.coerce.number().min(0).max(MOST_WAIT).default(MOST_WAIT);

export const stepSchema = z.strictObject({
  action: z.unknown(),
  action_seq: z.number().int().min(1).optional(),
  wait_s: waitSeconds.optional(),
  policy_version: z.number().int().min(0).optional(),
});

/** A text alone is a command. */
const asAction = (action: unknown): unknown => (typeof action === 'string' ? { command: action } : action);

/** Still running: ask for this action again. */
export interface Running {
  status: 'running';
  episode_id: string;
  action_seq: number;
}

/** Door C: REST in Gymnasium's shape, under /v1. */
export function restRoutes(context: DoorContext): FastifyPluginCallback {
  const { env, progress } = context;
  const { bench } = env;
  const episodes = async () => (await bench.database()).episodes;
  const known = async (id: string): Promise<EpisodeRow> => {
    const episode = await rideOut(async () => (await episodes()).find(id));
    if (episode === null)
      throw new BenchError('not_found', `no episode ${id}`, {
        code: 'episode.unknown',
        remedy: 'POST /v1/episodes begins one.',
      });
    return episode;
  };
  const touch = async (runId: string): Promise<void> => (await episodes()).touch(runId).catch(() => undefined);
  const outcomeWithin = async (episode: EpisodeRow, seq: number, seconds: number): Promise<WireStep | Running> => {
    const { runId, episodeId } = episode;
    const until = Date.now() + seconds * 1000;
    const left = (): number => Math.max(0, (until - Date.now()) / 1000);
    // Whoever waits is there, however long the command takes.
    const present = setInterval(() => void touch(runId), (episode.idleSeconds * 1000) / 3);
    const outcome = await rideOut(() => waitOutcome(bench, progress, { runId, seq, seconds: left() })).finally(() =>
      clearInterval(present),
    );
    if (outcome === null) return { status: 'running', episode_id: episodeId, action_seq: seq };
    const { task } = await rideOut(async () => (await bench.database()).store.definition(runId));
    return wireStep(episodeId, task.id, outcome);
  };
  const step = async (id: string, body: unknown): Promise<WireStep | Running> => {
    const {
      action,
      action_seq: seq,
      wait_s: wait = MOST_WAIT,
      policy_version: policyVersion,
    } = checked(stepSchema, body);
    const episode = await known(id);
    // Numbered here if its sender did not, so that it is the same action when the database goes away in the middle.
    const numbered = { action: asAction(action), seq: seq ?? episode.seq + 1, policyVersion: policyVersion ?? null };
    const taken = await rideOut(() => act(bench, episode, numbered));
    const refused = refusal(taken, id);
    if (refused !== null) throw refused;
    return outcomeWithin(episode, taken.kind === 'taken' ? taken.seq : 0, wait);
  };
  const statusOf = (answer: WireStep | Running): number =>
    'status' in answer ? 202 : answer.info['status'] === 'errored' ? 503 : 200;

  return (app, _options, done) => {
    app.setErrorHandler((error, _request, reply) => sendError(reply, error));

    app.post('/v1/episodes', async (request, reply) => {
      const runId = newRunId();
      const begun = await rideOut(() => resetEpisode(env, 'rest', request.body ?? {}, runId));
      await reply.code(201).send(wireReset(begun));
      // The sandbox starts while the policy thinks.
      await wantEpisode(bench, begun.episode.runId).catch(() => undefined);
    });

    app.get<{ Params: { id: string } }>('/v1/episodes/:id', async ({ params }) => {
      const episode = await known(params.id);
      const begun = wireReset(await rideOut(() => beginning(bench, episode)));
      return { ...begun, action_seq: episode.seq, ended: episode.ended, end_reason: episode.endReason };
    });

    app.delete<{ Params: { id: string } }>('/v1/episodes/:id', async ({ params }) => {
      const episode = await known(params.id);
      await rideOut(() => endEpisode(bench, episode));
      return { episode_id: episode.episodeId, ended: true };
    });

    app.post<{ Params: { id: string } }>('/v1/episodes/:id/step', async ({ params, body }, reply) => {
      const answer = await step(params.id, body);
      return reply.code(statusOf(answer)).send(answer);
    });

    app.get<{ Params: { id: string; seq: string }; Querystring: { wait_s?: string } }>(
      '/v1/episodes/:id/steps/:seq',
      async ({ params, query }, reply) => {
        const episode = await known(params.id);
        const seq = checked(z.coerce.number().int().min(1), params.seq);
        if (seq > episode.seq)
          throw new BenchError('not_found', `episode ${params.id} has taken no action ${seq}`, {
            remedy: `Its last one is ${episode.seq}.`,
          });
        await rideOut(async () => (await episodes()).touch(episode.runId));
        const answer = await outcomeWithin(episode, seq, checked(waitSeconds, query.wait_s ?? 0));
        return reply.code(statusOf(answer)).send(answer);
      },
    );

    batchSteps(app, step);
    forkRoutes(app, context, known);
    done();
  };
}
