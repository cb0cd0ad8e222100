import { BenchError } from '../domain/errors.js';
import { estimateTokens } from '../domain/estimate-tokens.js';
import { compareUsd } from '../domain/price.js';
import { ProviderError } from '../domain/provider-error.js';
import type { ModelPort } from '../domain/ports/model-port.js';
import type { Player, Prompt, TurnKey, TurnResult } from '../domain/ports/player.js';
import type { RateGovernor, RateGrant } from '../domain/ports/rate-governor.js';
import type { CallLedger, DearerAnswer } from '../domain/ports/record/call-ledger.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { RunDefinition } from '../domain/run.js';
import { beforeCall } from './before-call.js';
import { outputLimit } from './output-limit.js';
import { reserveTurn } from './reserve-turn.js';
import { factorFor, reservationUsd, timesFactor } from './reservation.js';

export interface ModelCallPorts {
  store: CallLedger & EventLog;
  /** By provider. */
  models: ReadonlyMap<string, ModelPort>;
  /** Grants calls to providers that have accounts. */
  governor: RateGovernor;
}

/** Some seconds: a server that is just being started. */
const FIRST_CALL_TRIES = 5;

/** Paid models: each turn is a call through the ledger and the rate governor. */
export const paidModels = (ports: ModelCallPorts): Player => ({
  next: (run, turn, prompt, signal) => callModel(ports, run, turn, prompt, signal),
});

/** One model call: a stored answer is never asked for again, and no call is made that a limit of the run might not allow. */
export async function callModel(
  ports: ModelCallPorts,
  run: RunDefinition,
  key: TurnKey,
  prompt: Prompt,
  signal: AbortSignal,
): Promise<Exclude<TurnResult, { kind: 'asked' }>> {
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

  // Before the money: what waits for its turn must not hold a part of the budget. The wait is on no run's clock.
  const turn = await waitForTurn(ports, port, run, key, prompt, signal);
  if (turn?.kind === 'wait') return turn;
  const grant = turn?.grant;
  const tellsSending = port.tellsSending === true;
  const endpoint = port.endpoint?.(run.model);
  const call = { provider, model, messages: prompt.messages, reservedUsd, endpoint, tellsSending };
  const reserved = await reserveTurn(store, run, key, call).catch((error: unknown) => {
    grant?.released();
    throw error;
  });
  if (reserved.kind !== 'reserved') {
    grant?.released();
    return reserved;
  }
  const { attempt } = reserved;
  let sent = !tellsSending;
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
    const reply = await port.complete(
      { model: run.model, ...prompt, sampling: run.sampling, seed: run.seed, callId },
      signal,
      sending,
    );
    const ms = Math.round(performance.now() - started);
    grant?.settled(reply.usage.inputTokens + reply.usage.outputTokens, reply.statedLimits);
    const dearer =
      estimatedUsd === '0' || compareUsd(reply.costUsd, reservedUsd) <= 0
        ? undefined
        : dearerAnswer(key, { account, model, reservedUsd, estimatedUsd, costUsd: reply.costUsd });
    await store.settleCall(key, reply, ms, dearer);
    return { kind: 'reply', reply, ms };
  } catch (error) {
    // What kept it from going out is no fault of the provider's.
    const fault = notSent[0] ?? error;
    if (!sent) grant?.released();
    else if (fault instanceof ProviderError) reportRefusal(grant, fault);
    if (signal.aborted || !(fault instanceof ProviderError)) {
      // Of a call that went out, as when a worker goes down, the row stays as reserved, and counts as lost when asked again.
      // Of one that did not, the next attempt or the run's end gives it back if this fails.
      if (!sent) await store.releaseUnsent([run.runId]).catch(() => undefined);
      throw fault;
    }
    const retryAfterMs = fault.retryable ? (fault.retryAfterMs ?? backoffMs(attempt)) : undefined;
    const wrongAddress = await isWrongAddress(store, run, fault, attempt);
    await store.failCall(key, fault.kind, sent ? fault.billed : 'no', {
      event: {
        kind: 'provider_error',
        key: `call-${key.step}-${key.try}-${attempt}`,
        detail: `step ${key.step}: ${fault.message}`.slice(0, 1000),
      },
      detail: fault.message.slice(0, 1000),
      ...(retryAfterMs === undefined || wrongAddress ? {} : { retryAt: new Date(Date.now() + retryAfterMs) }),
    });
    if (fault.consequence === 'context') return { kind: 'end', endReason: 'context' };
    if (wrongAddress)
      throw new BenchError(
        'usage',
        `${fault.message}, at ${endpoint ?? 'its address'}; no call of ${run.model.name} in this batch has been answered yet`,
        {
          code: 'model.address_invalid',
          remedy: `Correct the address, see what \`bench models test ${run.model.name}\` says, then repeat all unscored runs: \`bench retry ${run.batchId}\`.`,
        },
      );
    throw retryAfterMs === undefined ? fault : fault.with({ retryAfterMs });
  }
}

/**
 * A model that nobody has reached in this batch is not waited for: its address is wrong, or its server is not there. Once it has answered,
 * it is.
 */
async function isWrongAddress(
  store: CallLedger,
  run: RunDefinition,
  fault: ProviderError,
  attempt: number,
): Promise<boolean> {
  if (!fault.suspectAddress || (fault.kind !== 'not_an_api' && attempt < FIRST_CALL_TRIES)) return false;
  return !(await store.modelHasAnswered(run.batchId, run.model.name));
}

/** As the activity's policy has it; said by the call itself, so that people can be told when it is tried again. */
const backoffMs = (attempt: number): number => Math.min(500 * 2 ** Math.min(attempt - 1, 20), 60_000);

/** Whoever bills more than was asked for does it again: the model's next calls set aside as much. */
function dearerAnswer(
  { step, try: requery }: TurnKey,
  call: { account: string; model: string; reservedUsd: string; estimatedUsd: string; costUsd: string },
): DearerAnswer {
  const { account, model, reservedUsd, estimatedUsd, costUsd } = call;
  const factor = factorFor(costUsd, estimatedUsd);
  const detail =
    `step ${step}: an answer of ${model} cost $${costUsd}, more than the $${reservedUsd} that were set aside for it; ` +
    `its next calls set aside ${factor} times their estimate`;
  return { account, model, factor, event: { kind: 'reservation_exceeded', key: `dearer-${step}-${requery}`, detail } };
}

/** The call's grant of its account; null: nothing limits the model. */
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

function reportRefusal(grant: RateGrant | undefined, error: ProviderError): void {
  if (error.kind === 'unreachable') return grant?.released();
  if (error.kind !== 'rate_limited') return grant?.settled(null);
  const { dimension = null, stated, exhausted } = error.refusal ?? {};
  grant?.limited({ dimension, retryAfterMs: error.retryAfterMs, stated, exhausted });
}
