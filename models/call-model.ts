import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../domain/errors.js';
import { estimateTokens } from '../domain/model/estimate-tokens.js';
import { compareUsd } from '../domain/model/price.js';
import { ProviderError, type ProviderErrorKind } from '../domain/model/provider-error.js';
import type { ModelPort } from '../domain/ports/model-port.js';
import type { Player, Prompt, TurnKey, TurnResult } from '../domain/ports/player.js';
import type { RateGovernor, RateGrant } from '../domain/ports/rate-governor.js';
import type { CallLedger, DearerAnswer } from '../domain/ports/record/call-ledger.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { WorkerIdentity } from '../domain/ports/worker-identity.js';
import type { RunDefinition } from '../domain/run/run.js';
import { beforeCall } from './before-call.js';
import { outputLimit } from './output-limit.js';
import { storePaidAnswer } from './paid-answer.js';
import { reserveTurn } from './reserve-turn.js';
import { factorFor, reservationUsd, timesFactor } from './reservation.js';

export interface ModelCallPorts {
  store: CallLedger & EventLog;
  models: ReadonlyMap<string, ModelPort>;
  governor: RateGovernor;
  worker: WorkerIdentity;
}

/** The server may just be starting. */
const FIRST_CALL_TRIES = 5;

/** Each turn is a call through the ledger and the rate governor. */
export const paidModels = (ports: ModelCallPorts): Player => ({
  next: (run, turn, prompt, signal) => callModel(ports, run, turn, prompt, signal),
});

/** Before a refused call is made once more. */
const REFUSED_PAUSE_MS = 500;

type Called = Exclude<TurnResult, { kind: 'asked' }>;
/** A provider that has answered the run does not accept a request: no wrong setting. */
interface Refused {
  kind: 'refused';
}

/**
 * Never repeats a call with a stored answer, and makes none that might exceed the run's limits. A
 * request that is refused after answered ones is repeated once; then the run ends, scored.
 */
export async function callModel(
  ports: ModelCallPorts,
  run: RunDefinition,
  key: TurnKey,
  prompt: Prompt,
  signal: AbortSignal,
): Promise<Called> {
  const first = await tryModel(ports, run, key, prompt, signal);
  if (first.kind !== 'refused') return first;
  await sleep(REFUSED_PAUSE_MS, undefined, { signal });
  const second = await tryModel(ports, run, key, prompt, signal);
  return second.kind === 'refused' ? { kind: 'end', endReason: 'provider_refused' } : second;
}

async function tryModel(
  ports: ModelCallPorts,
  run: RunDefinition,
  key: TurnKey,
  prompt: Prompt,
  signal: AbortSignal,
): Promise<Called | Refused> {
  const { store } = ports;
  const { provider, model, config } = run.model;
  const port = ports.models.get(provider);
  const account = port?.account?.(run.model) ?? provider;
  const estimatedUsd =
    config === undefined ? '0' : reservationUsd(config, { ...prompt, sampling: run.sampling }, new Date());
  const factor = estimatedUsd === '0' ? 1 : await store.reservationFactor(account, model);
  const reservedUsd = timesFactor(estimatedUsd, factor);
  const before = await beforeCall(store, run, key, reservedUsd, prompt);
  if (before !== null) return before;
  if (port === undefined) throw new Error(`this worker serves no provider "${provider}"`);

  // Before reserving: a waiting call must not hold budget. The run's time excludes the wait.
  const turn = await waitForTurn(ports, port, run, key, prompt, signal);
  if (turn?.kind === 'wait') return turn;
  const grant = turn?.grant;
  const endpoint = port.endpoint?.(run.model);
  const price = { account, model, reservedUsd, estimatedUsd };
  const call = {
    ...{ provider, model, messages: prompt.messages, reservedUsd, endpoint, tellsSending: port.tellsSending === true },
    ...{ worker: ports.worker.name, isGone: (name: string) => ports.worker.isGone(name), boundMs: boundOf(run) },
  };
  const reserved = await reserveTurn(store, run, key, call).catch((error: unknown) => {
    grant?.released();
    throw error;
  });
  if (reserved.kind !== 'reserved') {
    grant?.released();
    return reserved;
  }
  return await sendCall({ store, port, run, key, prompt, grant, endpoint, price, attempt: reserved.attempt }, signal);
}

interface ReservedModelCall {
  store: ModelCallPorts['store'];
  port: ModelPort;
  run: RunDefinition;
  key: TurnKey;
  prompt: Prompt;
  grant: RateGrant | undefined;
  endpoint: string | undefined;
  price: { account: string; model: string; reservedUsd: string; estimatedUsd: string };
  attempt: number;
}

async function sendCall(
  call: ReservedModelCall,
  signal: AbortSignal,
): Promise<Extract<TurnResult, { kind: 'reply' | 'end' }> | Refused> {
  const { store, port, run, key, prompt, grant, price, attempt } = call;
  let sent = port.tellsSending !== true;
  const notSent: unknown[] = [];
  const sending = async (): Promise<void> => {
    await store.sendingCall(key, attempt).catch((error: unknown) => {
      notSent.push(error);
      throw error;
    });
    sent = true;
  };
  const started = performance.now();
  try {
    const callId = `${key.runId}/${key.step}/${key.try}/${attempt}`;
    const answer = await port.complete(
      { model: run.model, ...prompt, sampling: run.sampling, seed: run.seed, callId },
      signal,
      sending,
    );
    const ms = Math.round(performance.now() - started);
    // Without a usable count, the cost is the whole reservation.
    const reply = answer.usageProblem === undefined ? answer : { ...answer, costUsd: price.reservedUsd };
    grant?.settled(reply.usage.inputTokens + reply.usage.outputTokens, reply.statedLimits);
    const dearer =
      price.estimatedUsd === '0' || compareUsd(reply.costUsd, price.reservedUsd) <= 0
        ? undefined
        : dearerAnswer(key, { ...price, costUsd: reply.costUsd });
    await storePaidAnswer(() => store.settleCall(key, reply, ms, { dearer, attempt }), signal);
    return { kind: 'reply', reply, ms };
  } catch (error) {
    // It was never sent, so the provider is not at fault.
    const fault = notSent[0] ?? error;
    if (!sent) grant?.released();
    else if (fault instanceof ProviderError) reportRefusal(grant, fault);
    if (signal.aborted || !(fault instanceof ProviderError)) {
      // If it was sent, its row stays reserved and counts as lost on the retry. Otherwise, if this
      // fails, the next attempt or the run's end returns the reservation.
      if (!sent) await store.releaseUnsent([run.runId]).catch(() => undefined);
      throw fault;
    }
    return await storeFailure(call, fault, sent);
  }
}

/** Of one call, before it is refused and repeated once more. */
export const MOST_PASSING = 2;
/** After good answers of the run, the provider's doing: what the run has done is scored. */
const REFUSALS: readonly ProviderErrorKind[] = ['bad_request', 'auth', 'unknown_model'];

/**
 * A gateway that restarts, or a key service that stumbles, answers 401 or a 404 for a moment. Where
 * the run has had good answers, key and model are right, so the call is retried twice.
 */
export function perhapsPassing(fault: ProviderError, { step, try: requery }: TurnKey, attempt: number): ProviderError {
  const answered = step > 1 || requery > 0;
  const passing = answered && attempt <= MOST_PASSING && ['auth', 'unknown_model'].includes(fault.kind);
  return passing ? fault.with({ passing }) : fault;
}

/** Returns the run's end where the fault is one; throws what the caller retries or gives up. */
async function storeFailure(
  { store, run, key, endpoint, attempt }: ReservedModelCall,
  given: ProviderError,
  sent: boolean,
): Promise<Extract<TurnResult, { kind: 'end' }> | Refused> {
  const fault = perhapsPassing(given, key, attempt);
  const retryAfterMs = fault.retryable ? (fault.retryAfterMs ?? backoffMs(attempt)) : undefined;
  const wrongAddress = await isWrongAddress(store, run, given, attempt);
  await store.failCall(key, fault.kind, sent ? fault.billed : 'no', {
    event: {
      kind: 'provider_error',
      key: `call-${key.step}-${key.try}-${attempt}`,
      detail: `step ${key.step}: ${fault.message}`.slice(0, 1000),
    },
    detail: fault.message.slice(0, 1000),
    attempt,
    ...(retryAfterMs === undefined || wrongAddress ? {} : { retryAt: new Date(Date.now() + retryAfterMs) }),
  });
  if (fault.consequence === 'context') return { kind: 'end', endReason: 'context' };
  const refuses = retryAfterMs === undefined && REFUSALS.includes(fault.kind);
  if (refuses && (await store.spending(run.runId)).tokens > 0) return { kind: 'refused' };
  if (wrongAddress)
    throw new BenchError(
      'usage',
      `${fault.message}, at ${endpoint ?? 'its address'}; ${run.model.name} has answered no call of this batch yet`,
      {
        code: 'model.address_invalid',
        remedy: `Correct the address, see what \`bench models test ${run.model.name}\` says, then repeat all unscored runs: \`bench retry ${run.batchId}\`.`,
      },
    );
  throw retryAfterMs === undefined ? fault : fault.with({ retryAfterMs });
}

const boundOf = ({ model }: RunDefinition): number | undefined =>
  model.config === undefined ? undefined : (model.config.requestTimeoutSeconds + GIVING_UP_S) * 1000;

const GIVING_UP_S = 5;

/** A model that never answered in this batch has a wrong address, or no server: do not wait. */
async function isWrongAddress(
  store: CallLedger,
  run: RunDefinition,
  fault: ProviderError,
  attempt: number,
): Promise<boolean> {
  if (!fault.suspectAddress || (fault.kind !== 'not_an_api' && attempt < FIRST_CALL_TRIES)) return false;
  return !(await store.modelHasAnswered(run.batchId, run.model.name));
}

/** As in the activity's retry policy; here so that people can see when the call is retried. */
export const backoffMs = (attempt: number): number => Math.min(500 * 2 ** Math.min(attempt - 1, 20), 60_000);

/** A provider that bills more than reserved will repeat that, so later calls reserve more. */
export function dearerAnswer(
  { step, try: requery }: TurnKey,
  call: { account: string; model: string; reservedUsd: string; estimatedUsd: string; costUsd: string },
): DearerAnswer {
  const { account, model, reservedUsd, estimatedUsd, costUsd } = call;
  const factor = factorFor(costUsd, estimatedUsd);
  const detail =
    `step ${step}: an answer of ${model} cost $${costUsd}, more than the $${reservedUsd} reserved for it; ` +
    `its next calls reserve ${factor} times their estimate`;
  return { account, model, factor, event: { kind: 'reservation_exceeded', key: `dearer-${step}-${requery}`, detail } };
}

/** Null: the model has no limit. */
async function waitForTurn(
  ports: ModelCallPorts,
  port: ModelPort,
  run: RunDefinition,
  key: TurnKey,
  prompt: Prompt,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<RateGovernor['acquire']>> | null> {
  const { config } = run.model;
  const account = port.account?.(run.model);
  if (account === undefined || config === undefined) return null;
  const { requestsPerMinute = null, tokensPerMinute = null } = config.rateLimit ?? {};
  return ports.governor.acquire(
    {
      ...{ account, provider: config.provider, batchId: run.batchId },
      ticket: `${key.runId}/${key.step}/${key.try}`,
      tokens:
        estimateTokens(prompt.messages, prompt.tools) + outputLimit(config, { ...prompt, sampling: run.sampling }),
      declared: { requests: requestsPerMinute, tokens: tokensPerMinute },
    },
    signal,
  );
}

export function reportRefusal(grant: RateGrant | undefined, error: ProviderError): void {
  if (error.kind === 'unreachable') return grant?.released();
  if (error.kind !== 'rate_limited') return grant?.settled(null);
  const { dimension = null, stated, exhausted } = error.refusal ?? {};
  grant?.limited({ dimension, retryAfterMs: error.retryAfterMs, stated, exhausted });
}
