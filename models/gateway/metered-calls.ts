import { setTimeout as sleep } from 'node:timers/promises';
import { isJson, type Json, textOf } from '../../domain/gateway/json.js';
import { SseReader } from '../../domain/gateway/sse.js';
import { parsed, type StreamEvent, type Wire } from '../../domain/gateway/wire.js';
import type { ModelReply } from '../../domain/model/model.js';
import { refusal } from '../../domain/gateway/refusals.js';
import type { CallFollower, MeteredCall, MeteredCalls, MeteredResult } from '../../domain/ports/metered-calls.js';
import type { RateGovernor, RateGrant } from '../../domain/ports/rate-governor.js';
import type { CallLedger } from '../../domain/ports/record/call-ledger.js';
import type { EventLog } from '../../domain/ports/record/events.js';
import { compareUsd } from '../../domain/model/price.js';
import { RefusedRow } from '../../domain/errors.js';
import { ProviderError, type ProviderErrorKind } from '../../domain/model/provider-error.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { asProviderError } from '../as-provider-error.js';
import { ErrorAnswer, errorAnswer, errorInside, isPage } from '../error-answer.js';
import { CallTookTooLong } from '../bounded-call.js';
import { UnusableResponse } from '../decoded-body.js';
import { HtmlAnswer } from '../http-fetch.js';
import { backoffMs, dearerAnswer, MOST_PASSING, reportRefusal } from '../call-model.js';
import { priced } from '../checked-usage.js';
import { keyHeaders } from '../key-headers.js';
import { USUAL_BASE_URL } from '../model-settings.js';
import type { Access, ProviderAccess } from '../provider-access.js';
import { timesFactor } from '../reservation.js';
import { storePaidAnswer } from '../paid-answer.js';
import { statedLimits } from '../stated-limits.js';
import { RunBudget } from './run-budget.js';
import { type Estimate, estimateOf } from './estimate.js';
import { post, type Upstream, wholeText } from './upstream.js';

export interface MeteredPorts {
  store: CallLedger & EventLog;
  governor: RateGovernor;
  access: ProviderAccess;
  /** Clients hang up after 300 seconds. */
  retryMs?: number;
  /** How long the events of a stream are held, so that one that breaks is asked again unseen. */
  holdMs?: number;
}

const RETRY_MS = 200_000;
/** Programs act on whole answers, but hang up after a long silence. */
const HOLD_MS = 20_000;
const LONGEST_PAUSE_MS = 30_000;
const never = new AbortController().signal;

interface Outcome {
  headers: Headers;
  answer: Json;
}

/** A program's calls: each has a ledger row and keeps the account's rate. Retries faults itself. */
export function meteredCalls(ports: MeteredPorts, run: RunDefinition): MeteredCalls {
  const access = ports.access.of(run.model);
  const budget = new RunBudget(ports.store, run);
  const [account, endpoint] = [ports.access.account(run.model), ports.access.endpoint(run.model)];
  return {
    call: (call, by) => meteredCall({ ...ports, access, run, budget, account, endpoint }, call, by),
    async countTokens(text, headers) {
      const url = urlOf(access, '/v1/messages/count_tokens');
      const asked = { headers: headersFor(access, headers, ''), body: text };
      const answer = await post(url, {
        ...asked,
        signal: AbortSignal.timeout(60_000),
        sending: () => Promise.resolve(),
      });
      return { status: answer.status, body: parsed(access.redact(await wholeText(answer.text))) ?? {} };
    },
  };
}

interface Calling extends Omit<MeteredPorts, 'access'> {
  access: Access;
  run: RunDefinition;
  budget: RunBudget;
  account: string;
  endpoint: string;
}

async function meteredCall(at: Calling, call: MeteredCall, by: CallFollower): Promise<MeteredResult> {
  const until = Date.now() + (at.retryMs ?? RETRY_MS);
  const { config } = at.access;
  const estimate = estimateOf(config, call);
  const { account, endpoint } = at;
  const factor = estimate.usd === '0' ? 1 : await at.store.reservationFactor(account, at.run.model.model);
  const reservedUsd = timesFactor(estimate.usd, factor);
  for (;;) {
    const grant = await by.waits(granted(at, call, estimate, account, until));
    if (grant instanceof ProviderError) return { kind: 'fault', fault: grant, begun: false };
    const reserved = await at.budget.reserve(call, { reservedUsd, endpoint, until }).catch((error: unknown) => {
      grant?.released();
      throw error;
    });
    if (typeof reserved !== 'number') {
      grant?.released();
      return reserved;
    }
    const tried = await attempt(at, call, (event) => by.event(event), {
      number: reserved,
      reservedUsd,
      estimate,
      grant,
      account,
    });
    if (!(tried instanceof Fault)) return tried;
    const { error, begun, verbatim } = tried;
    if (verbatim !== null) return { kind: 'refused', ...verbatim };
    const pause = Math.min(error.retryAfterMs ?? backoffMs(reserved), LONGEST_PAUSE_MS);
    const inTime = Date.now() + pause <= until;
    const passing = !begun && OF_THE_KEY.includes(error.kind) && (await hasAnswered(at));
    if (passing && (reserved > MOST_PASSING + 1 || !inTime)) return { kind: 'limit', endReason: 'provider_refused' };
    if (begun || !(passing || error.retryable) || !inTime) return { kind: 'fault', fault: error, begun };
    await by.waits(sleep(pause));
  }
}

/** Faults of key, address or model; after good answers they pass, or are the provider's doing. */
const OF_THE_KEY: readonly ProviderErrorKind[] = ['auth', 'unknown_model'];

const hasAnswered = async ({ store, run }: Calling): Promise<boolean> => (await store.spending(run.runId)).tokens > 0;

/** Waits for the account's grant; an error: clients would not wait long enough. */
async function granted(
  { governor, run, access }: Calling,
  { step }: MeteredCall,
  estimate: Estimate,
  account: string,
  until: number,
): Promise<RateGrant | ProviderError> {
  const { requestsPerMinute = null, tokensPerMinute = null } = access.config.rateLimit ?? {};
  for (;;) {
    const turn = await governor.acquire(
      {
        ...{ account, provider: access.config.provider, batchId: run.batchId },
        ticket: `${run.runId}/${step}/0`,
        tokens: estimate.inputTokens + estimate.outputTokens,
        declared: { requests: requestsPerMinute, tokens: tokensPerMinute },
      },
      never,
    );
    if (turn.kind === 'granted') return turn.grant;
    if (Date.now() + turn.waitMs > until)
      return new ProviderError('rate_limited', access.config.provider, 'the account gives no turn in time', {
        retryAfterMs: turn.waitMs,
      });
    await sleep(turn.waitMs);
  }
}

class Fault {
  constructor(
    readonly error: ProviderError,
    readonly begun: boolean,
    /** What the client sees of a request that the provider does not accept. */
    readonly verbatim: { status: number; body: Json } | null,
  ) {}
}

const FOR_THE_CLIENT = [400, 413, 422];
/** Which the client cannot cure: the gateway writes key, address and model. */
const NOT_THE_CLIENTS: readonly ProviderErrorKind[] = [
  'auth',
  'permission',
  'unknown_model',
  'quota',
  'body_too_large',
];
/** Words and codes after which clients shorten their conversations. */
const OVERFLOW = /prompt is too long|context_length_exceeded|maximum context length|request_too_large/i;

/**
 * What the client sees of a request that the provider does not accept: its own words, in the form
 * that the client reads. Null: it sees a fault.
 */
function verbatimOf(wire: Wire, error: unknown, { kind }: ProviderError): { status: number; body: Json } | null {
  // Some providers report an empty account, or a wrong key, with 400.
  if (!(error instanceof ErrorAnswer) || NOT_THE_CLIENTS.includes(kind)) return null;
  const { status, said, json, body } = error.answered;
  const overflow = kind === 'context_window';
  if (!json || (!overflow && !FOR_THE_CLIENT.includes(status))) return null;
  const own = isJson(body?.['error']) ? textOf(body['error']['message']) : '';
  if (body !== null && own !== '' && (!overflow || OVERFLOW.test(`${said.code} ${said.type} ${own}`)))
    return { status, body };
  const message = overflow && !/prompt is too long/i.test(said.text) ? `prompt is too long: ${said.text}` : said.text;
  const refused = refusal(wire, overflow ? 400 : status, message, overflow ? 'context_length_exceeded' : null);
  return { status: refused.status, body: refused.body };
}

async function attempt(
  at: Calling,
  call: MeteredCall,
  event: (event: StreamEvent) => void,
  about: { number: number; reservedUsd: string; estimate: Estimate; grant: RateGrant; account: string },
): Promise<MeteredResult | Fault> {
  const { store, access, run } = at;
  const { config } = access;
  const key = { runId: run.runId, step: call.step, try: 0 };
  const limit = AbortSignal.timeout(config.requestTimeoutSeconds * 1000);
  const started = performance.now();
  const progress = { begun: false, sent: false };
  const held = new HeldEvents(at.holdMs ?? HOLD_MS, (one) => {
    progress.begun = true;
    event(one);
  });
  let found: Outcome;
  try {
    const answer = await post(
      urlOf(access, call.wire.upstreamPath({ model: config.model, stream: call.asked['stream'] === true })),
      {
        headers: headersFor(access, call.headers, `${run.runId}/${call.step}/0/${about.number}`),
        body: call.text,
        signal: limit,
        sending: async () => {
          await store.sendingCall(key, about.number);
          progress.sent = true;
        },
      },
    );
    found = await read(answer, call, access, held);
  } catch (error) {
    const late = limit.aborted ? new CallTookTooLong(`no reply within ${config.requestTimeoutSeconds} s`) : error;
    const fault = asProviderError(late, {
      ...{ provider: config.provider, model: config.model, apiKey: access.apiKey, now: new Date() },
      bodyBytes: () => Buffer.byteLength(call.text),
    });
    const redacted = fault.with({ message: access.redact(fault.message) });
    if (progress.sent) reportRefusal(about.grant, redacted);
    else about.grant.released();
    await store.failCall(key, redacted.kind, progress.sent ? redacted.billed : 'no', {
      event: {
        kind: 'provider_error',
        key: `call-${call.step}-0-${about.number}`,
        detail: `step ${call.step}: ${redacted.message}`.slice(0, 1000),
      },
      detail: redacted.message.slice(0, 1000),
      attempt: about.number,
    });
    at.budget.ended(call.step);
    return new Fault(redacted, progress.begun, progress.begun ? null : verbatimOf(call.wire, late, redacted));
  }
  const ms = Math.round(performance.now() - started);
  const { answer } = found;
  const reply = settled(at, call, answer, about);
  about.grant.settled(reply.usage.inputTokens + reply.usage.outputTokens, statedLimits(found.headers));
  const dearer =
    about.estimate.usd === '0' || compareUsd(reply.costUsd, about.reservedUsd) <= 0
      ? undefined
      : dearerAnswer(key, {
          ...{ account: about.account, model: run.model.model, costUsd: reply.costUsd },
          ...{ reservedUsd: about.reservedUsd, estimatedUsd: about.estimate.usd },
        });
  const timeout = AbortSignal.timeout(at.retryMs ?? RETRY_MS);
  try {
    await storePaidAnswer(() => store.settleCall(key, reply, ms, { dearer, attempt: about.number }), timeout);
  } catch (error) {
    // It is paid, so it counts as its reservation.
    if (error instanceof RefusedRow)
      await store.failCall(key, 'malformed_response', 'unknown', { detail: error.message, attempt: about.number });
    throw error;
  } finally {
    at.budget.ended(call.step);
  }
  held.release();
  return { kind: 'answered', answer };
}

/** Passes a streamed answer to `held`. Throws what is not an answer, or was cut. */
async function read(answer: Upstream, call: MeteredCall, access: Access, held: HeldEvents): Promise<Outcome> {
  const { status, headers } = answer;
  if (status < 300 && /^text\/event-stream/i.test(headers.get('content-type') ?? ''))
    return { headers, answer: await readStream(answer, call, access, held) };
  const text = access.redact(await wholeText(answer.text));
  if (status >= 300) throw errorAnswer(status, headers, text);
  if (isPage(headers, text)) throw new HtmlAnswer('the response is an HTML page');
  const whole = parsed(text);
  const failure = whole === null ? 'malformed' : call.wire.failure(whole);
  if (failure === 'malformed') throw new UnusableResponse('the response is no answer');
  if (failure !== null) throw errorInside(failure, headers);
  return { headers, answer: whole! };
}

/** Events before an answer's first content, which may come minutes later. */
const OPENING = ['message_start', 'ping', 'response.created', 'response.queued', 'response.in_progress'];

/** The events of a stream, until its answer is whole or its first content is old. */
class HeldEvents {
  private readonly events: StreamEvent[] = [];
  private until = Infinity;

  constructor(
    private readonly holdMs: number,
    private readonly event: (event: StreamEvent) => void,
  ) {}

  add(event: StreamEvent): void {
    this.events.push(event);
    const now = performance.now();
    if (this.until === Infinity && !OPENING.includes(event.event ?? '')) this.until = now + this.holdMs;
    if (now >= this.until) this.release();
  }

  release(): void {
    this.events.splice(0).forEach(this.event);
  }
}

async function readStream(
  { headers, text: pieces }: Upstream,
  call: MeteredCall,
  access: Access,
  held: HeldEvents,
): Promise<Json> {
  const assembly = call.wire.assembly(call.asked);
  const events = new SseReader();
  for await (const text of pieces)
    for (const one of events.push(text)) {
      const clean = { ...one, data: access.redact(one.data) };
      const shown = assembly.add(clean);
      const failed = assembly.failed();
      if (failed !== null) throw errorInside(failed, headers);
      if (shown) held.add(clean);
    }
  const whole = assembly.answer();
  if (whole === null) throw new Error('the stream ended before the answer');
  if (call.wire.failure(whole) !== null) throw new UnusableResponse('the stream is no answer');
  return whole;
}

/** Without a usable count, the cost is the whole reservation. */
function settled(
  { access, run }: Calling,
  call: MeteredCall,
  answer: Json,
  { reservedUsd, estimate }: { reservedUsd: string; estimate: Estimate },
): ModelReply {
  const reply = call.wire.reply(answer);
  // Without messages: their tokens are estimated already, and recounting is slow.
  const request = { model: run.model, messages: [], seed: run.seed, sampling: {} };
  const counted = priced(reply, call.wire.usage(answer), request, access.config, new Date());
  if (counted.usageProblem === undefined) return counted;
  return { ...counted, usage: { ...counted.usage, inputTokens: estimate.inputTokens }, costUsd: reservedUsd };
}

function urlOf({ config, baseUrl }: Access, path: string): URL {
  const base = baseUrl ?? USUAL_BASE_URL[config.provider] ?? '';
  return new URL(`${base.replace(/\/+$/, '')}${path}`);
}

function headersFor(access: Access, more: Readonly<Record<string, string>>, callId: string): Record<string, string> {
  const key = keyHeaders(access.config, access.apiKey);
  return { ...more, ...access.headers, ...key, ...(callId === '' ? {} : { 'x-client-request-id': callId }) };
}
