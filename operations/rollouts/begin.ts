import type { Client } from '@temporalio/client';
import { BenchError } from '../../domain/errors.js';
import { newRunId } from '../../domain/ids.js';
import type { RolloutEndpoint } from '../../domain/model/model.js';
import type { Episodes } from '../../domain/ports/episodes.js';
import type { Keys } from '../../domain/ports/keys.js';
import { inlineModel, type RolloutModel, type RolloutRequest } from '../../domain/requests/rollout.js';
import { rewardRequest } from '../../domain/requests/reward.js';
import { isConfigured } from '../../domain/rollouts/endpoint-addresses.js';
import { seal } from '../../domain/rollouts/credentials.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { refuseForeignKey } from '../../models/provider-access.js';
import { refusePrivateHost } from '../../models/public-address.js';
import { startRunWorkflow } from '../../temporal/start-run.js';
import { isOutage } from '../as-bench-error.js';
import type { Environment } from '../episodes/environment.js';
import { freshRun } from '../episodes/fresh-run.js';
import { type BaselinePorts, requireBaselines } from '../episodes/require-baselines.js';
import { formerSecret } from '../home/home-identity.js';
import type { BenchSettings } from '../settings.js';

/** A rollout needs no client that polls it: its trainer may be away for any time. */
const NEVER_IDLE_SECONDS = 315_360_000;

/** Ids as the trainer names them. */
export interface BegunRollout {
  rolloutId: string;
  runId: string;
}

interface StartPorts {
  episodes: Pick<Episodes, 'want'>;
  temporal(): Promise<Client>;
}

interface SealPorts {
  keys: Pick<Keys, 'sealing'>;
  settings: Pick<BenchSettings, 'env' | 'layout'>;
}

export type BeginRolloutsPorts = StartPorts &
  SealPorts &
  BaselinePorts & {
    episodes: Pick<Episodes, 'create'>;
  };

/**
 * Stores rollouts, then starts them; the sweep starts those that a crash leaves behind. A stored
 * rollout's id returns that one. Their number is unlimited: they queue for hosts.
 * @throws BenchError (usage) that names a wrong key; (not_found) for an unknown task, split or
 * agent.
 */
export async function beginRollouts(
  ports: BeginRolloutsPorts,
  env: Environment,
  request: RolloutRequest,
): Promise<BegunRollout[]> {
  const requestedAt = performance.now();
  const { episodes } = ports;
  const { model, count, capture, rollout_id: given, ...asked } = request;
  const { api_key: _key, headers, ...shown } = model;
  // First: a wrong reward or endpoint is refused even while services are away.
  const reward = asked.reward === undefined ? env.options.reward : rewardRequest(asked.reward);
  const endpoint = { capture, sealed: await sealedOf(ports, model) } satisfies RolloutEndpoint;
  const played = await freshRun(env, asked);
  await requireBaselines(ports, [played], reward);
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
  const begun: BegunRollout[] = [];
  for (let nth = 1; nth <= count; nth++) {
    const runId = newRunId();
    const { row } = await episodes.create(
      {
        run: { ...run, runId },
        protocol: 'rollouts',
        session: null,
        reset,
        reward,
        rollout: endpoint,
        episodeId: given === undefined ? runId : nth === 1 ? given : `${given}-${nth}`,
        idleSeconds: NEVER_IDLE_SECONDS,
        resetMs: performance.now() - requestedAt,
        deadlineAt: asked.deadline_s === undefined ? null : new Date(Date.now() + asked.deadline_s * 1000),
      },
      env.harnessVersion,
    );
    begun.push({ rolloutId: row.episodeId, runId: row.runId });
  }
  await Promise.all(begun.map(({ runId }) => start(ports, runId)));
  return begun;
}

async function start(ports: StartPorts, runId: string): Promise<void> {
  const ticket = await ports.episodes.want(runId);
  if (ticket === null) return;
  try {
    await startRunWorkflow(await ports.temporal(), ticket);
  } catch (error) {
    // It is stored: the sweep starts it.
    if (!isOutage(error)) throw error;
  }
}

/**
 * Throws BenchError (usage) at once for an address that the worker would always refuse. Only the
 * worker checks what a name resolves to.
 */
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

/**
 * Null: the model has no secret. Does not resolve a variable's name. Throws BenchError (usage) for
 * an unset variable or a forbidden address.
 */
async function sealedOf(
  { keys, settings }: SealPorts,
  { base_url: baseUrl, api_key: key, headers }: RolloutModel,
): Promise<string | null> {
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
  return seal({ apiKey, headers }, await keys.sealing(formerSecret(settings.layout)));
}
