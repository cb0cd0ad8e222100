import { BenchError } from '../../domain/errors.js';
import { newRunId } from '../../domain/ids.js';
import type { RolloutEndpoint } from '../../domain/model.js';
import { inlineModel, type RolloutModel, type RolloutRequest } from '../../domain/requests/rollout.js';
import { rewardRequest } from '../../domain/requests/reward.js';
import { isConfigured } from '../../domain/rollouts/endpoint-addresses.js';
import { seal } from '../../domain/rollouts/credentials.js';
import type { RunDefinition } from '../../domain/run.js';
import { refuseForeignKey } from '../../models/provider-access.js';
import { refusePrivateHost } from '../../models/public-address.js';
import { startRunWorkflow } from '../../temporal/start-run.js';
import { isOutage } from '../as-bench-error.js';
import type { Environment } from '../episodes/environment.js';
import { requireBaselines } from '../episodes/require-baselines.js';
import { freshRun } from '../episodes/reset.js';
import { formerSecret } from '../home/home-identity.js';

/** Nobody needs to ask after a rollout: its trainer may be away as long as it likes. */
const NEVER_IDLE_SECONDS = 315_360_000;

/** Ids of rollouts that were begun, as the trainer names them. */
export interface BegunRollout {
  rolloutId: string;
  runId: string;
}

/**
 * Begins rollouts: stored first, then started; what a death in between leaves behind, a sweep starts. The id of a rollout that is there
 * already is that one. As many as are asked for: they take their turns on the hosts.
 * @throws BenchError (usage) that names a wrong key; (not_found) for a task, split or agent that is not there.
 */
export async function beginRollouts(env: Environment, request: RolloutRequest): Promise<BegunRollout[]> {
  const askedAt = performance.now();
  const { bench } = env;
  const { model, count, capture, rollout_id: given, ...asked } = request;
  const { api_key: _key, headers, ...shown } = model;
  // Before anything is read or written that could fail only because of the services.
  const reward = asked.reward === undefined ? env.options.reward : rewardRequest(asked.reward);
  const endpoint = { capture, sealed: await sealedOf(env, model) } satisfies RolloutEndpoint;
  const played = await freshRun(env, asked);
  await requireBaselines(bench, [played], reward);
  const config = inlineModel(model);
  const run: RunDefinition = {
    ...played,
    model: {
      name: model.model,
      kind: 'real',
      provider: config.provider,
      model: model.model,
      config,
      rollout: endpoint,
    },
    sampling: {},
  };
  const reset = { ...asked, model: { ...shown, headers: Object.keys(headers) }, capture };
  const { episodes } = await bench.database();
  const begun: BegunRollout[] = [];
  for (let nth = 1; nth <= count; nth++) {
    const runId = newRunId();
    const { row } = await episodes.create(
      {
        run: { ...run, runId },
        ...{ protocol: 'rollouts', session: null, reset, reward, rollout: endpoint },
        episodeId: given === undefined ? runId : nth === 1 ? given : `${given}-${nth}`,
        idleSeconds: NEVER_IDLE_SECONDS,
        resetMs: performance.now() - askedAt,
        deadlineAt: asked.deadline_s === undefined ? null : new Date(Date.now() + asked.deadline_s * 1000),
      },
      env.harnessVersion,
    );
    begun.push({ rolloutId: row.episodeId, runId: row.runId });
  }
  await Promise.all(begun.map(({ runId }) => start(env, runId)));
  return begun;
}

async function start({ bench }: Environment, runId: string): Promise<void> {
  const { episodes } = await bench.database();
  const ticket = await episodes.want(runId);
  if (ticket === null) return;
  try {
    await startRunWorkflow(await bench.temporal(), ticket);
  } catch (error) {
    // It is wanted: the sweep starts it.
    if (!isOutage(error)) throw error;
  }
}

/** Throws BenchError (usage) at once for what the worker would refuse in any case. It checks what a name resolves to. */
function refusePrivate(baseUrl: string): void {
  try {
    refusePrivateHost(new URL(baseUrl));
  } catch (cause) {
    throw new BenchError('usage', 'model.base_url: the address is a private one', {
      code: 'model.address_invalid',
      remedy: 'List it in BENCH_ROLLOUT_BASE_URL where bench runs, then restart the worker.',
      cause,
    });
  }
}

/** Null: there is nothing secret. A variable stays one. Throws BenchError (usage) for one that is not set, and an address that may not be called. */
async function sealedOf(
  { bench }: Environment,
  { base_url: baseUrl, api_key: key, headers }: RolloutModel,
): Promise<string | null> {
  const { settings } = bench;
  const variable = key.startsWith('$') ? key.slice(1) : null;
  if (variable !== null && (settings.env[variable] ?? '') === '')
    throw new BenchError('usage', `model.api_key: this server has no variable ${variable}`, {
      code: 'model.key_missing',
      remedy: 'Set it where bench runs, then restart the worker; or send the key itself, which is stored sealed.',
    });
  if (variable !== null) refuseForeignKey(settings.env, variable, baseUrl);
  if (!isConfigured(settings.env, baseUrl)) refusePrivate(baseUrl);
  const apiKey = variable === null ? key : '';
  if (apiKey === '' && Object.keys(headers).length === 0) return null;
  const { keys } = await bench.database();
  return seal({ apiKey, headers }, await keys.sealing(formerSecret(settings.layout)));
}
