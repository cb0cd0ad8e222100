import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { newRolloutId, timeOfRunId } from '../../domain/ids.js';
import { rolloutSchema } from '../../domain/requests/rollout.js';
import { asBenchError } from '../../operations/as-bench-error.js';
import { listAgents } from '../../operations/catalog/list-agents.js';
import { beginRollouts } from '../../operations/rollouts/begin.js';
import { rolloutResult } from '../../operations/rollouts/result.js';
import { checked } from '../checked.js';
import type { ServerContext } from '../context.js';
import { rideOut } from '../ride-out.js';
import { endedBefore } from './ended-before.js';
import { refuseRollouts } from './refuse-rollouts.js';
import { refuseUnstorable } from '../storable-input.js';
import { type HarborAsked, harborFailure, type HarborResult, harborResult } from './harbor-result.js';

/** The client gives up after 1,800 s. The rollout continues, and GET /v1/rollouts lists it. */
const CLIENT_WAITS_SECONDS = 1_780;

const text = z.string().default('');
const runRolloutSchema = z.strictObject({
  split: text,
  task_index: z.number().int().min(0).default(0),
  harness: text,
  sandbox: text,
  reward_key: text,
  keep_sandbox: z.boolean().default(false),
  force_build: z.boolean().default(false),
  llm_url: text,
  model: text,
  api_key: text,
  auth_header: text,
  provider: z.enum(['openai', 'vllm', 'hf']).default('openai'),
  purpose: z.enum(['auto', 'train', 'eval']).default('auto'),
  agent_timeout_sec: z.number().min(0).default(0),
  agent_step_limit: z.number().int().min(0).default(0),
  sampling: z.record(z.string(), z.unknown()).nullish(),
  eval_sampling: z.record(z.string(), z.unknown()).nullish(),
});

/** The client's default means this server's own harness. */
const CLIENTS_DEFAULT = 'opencode';

interface HarborCall {
  /** Repeated, as after a broken connection, it is the same rollout. */
  rolloutId?: string;
  signal?: AbortSignal;
}

export interface HarborTools {
  /** Never throws: a failure is `ok: false` with `error`, and no reward. */
  runRollout(args: unknown, call?: HarborCall): Promise<HarborResult>;
  capabilities(): Promise<Record<string, unknown>>;
}

export function harborTools({ bench, env, progress, token }: ServerContext): HarborTools {
  const play = async (args: unknown, { rolloutId = newRolloutId(), signal }: HarborCall): Promise<HarborResult> => {
    refuseRollouts(token);
    refuseUnstorable(args);
    const given = checked(runRolloutSchema, args ?? {});
    const split = given.split === '' ? (env.splits[0] ?? '') : given.split;
    const { harness, sandbox, reward_key: rewardKey, purpose } = given;
    const asked: HarborAsked = { ...{ split, harness, sandbox, rewardKey, purpose } };
    try {
      const request = checked(rolloutSchema, { ...requestOf(given, split), rollout_id: rolloutId });
      const [begun] = await rideOut(() => beginRollouts(bench, env, request));
      if (begun === undefined) throw new Error('no rollout was begun');
      // From the call's first time, on whichever server.
      const until = timeOfRunId(begun.runId) + CLIENT_WAITS_SECONDS * 1000;
      const wait = { until, ...(signal !== undefined && { signal }) };
      const ended = await endedBefore(bench, progress, begun.runId, wait);
      if (ended === null) return harborFailure(asked, stillGoesOn(begun.rolloutId));
      return harborResult(asked, await rideOut(() => rolloutResult(bench, ended)));
    } catch (error) {
      return harborFailure(asked, said(error));
    }
  };
  return {
    runRollout: (args, call = {}) =>
      play(args, call).catch((error: unknown) =>
        harborFailure({ split: '', harness: '', sandbox: '', rewardKey: '', purpose: 'auto' }, said(error)),
      ),
    async capabilities() {
      const { agents } = listAgents(bench);
      return {
        harnesses: agents.map(({ name, description }) => ({ name, status: 'validated', description })),
        sandboxes: [{ name: env.options.backend ?? 'docker', available: true }],
        datasets: [...env.splits],
        llm: {},
      };
    },
  };
}

const stillGoesOn = (id: string): string =>
  `rollout ${id} still runs after ${CLIENT_WAITS_SECONDS} s. Collect it by GET /v1/rollouts/${id}?wait_s=50.`;

/** Includes the remedy: the client shows only this text. */
function said(thrown: unknown): string {
  const { message, remedy } = asBenchError(thrown);
  return remedy === undefined ? message : `${message}. ${remedy}`;
}

function requestOf(given: z.output<typeof runRolloutSchema>, split: string): Record<string, unknown> {
  const { llm_url: url, api_key: key, auth_header: header, harness, purpose } = given;
  for (const name of ['llm_url', 'model'] as const)
    if (given[name] === '')
      throw new BenchError('usage', `${name} is missing: this server has no model of its own`, {
        remedy: 'Name the endpoint as llm_url, and its model as model.',
      });
  const named = header !== '' && header.toLowerCase() !== 'authorization';
  const sampling = (purpose === 'eval' ? given.eval_sampling : given.sampling) ?? {};
  return {
    split,
    index: given.task_index,
    ...(harness !== '' && harness !== CLIENTS_DEFAULT && { agent: harness }),
    ...(given.agent_step_limit > 0 && { max_steps: given.agent_step_limit }),
    ...(given.agent_timeout_sec > 0 && { deadline_s: given.agent_timeout_sec }),
    model: {
      base_url: apiRoot(url),
      model: given.model,
      ...(key !== '' && (named ? { headers: { [header]: key } } : { api_key: key })),
      sampling,
    },
  };
}

/** A bare host is an engine's root; a path is already that of its API. */
const apiRoot = (url: string): string =>
  URL.canParse(url) && new URL(url).pathname === '/' ? `${url.replace(/\/+$/, '')}/v1` : url.replace(/\/+$/, '');
