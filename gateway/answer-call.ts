import type { IncomingMessage } from 'node:http';
import { type Json, textOf } from '../domain/gateway/json.js';
import { later, limitAnswerOf, limitReached, otherModel, refusal } from '../domain/gateway/refusals.js';
import type { Wire } from '../domain/gateway/wire.js';
import { actionOf } from '../domain/gateway/action.js';
import { RefusedRow } from '../domain/errors.js';
import { newCallKey } from '../domain/ids.js';
import type { MeteredResult } from '../domain/ports/metered-calls.js';
import type { ProgramCall } from '../domain/ports/record/program-log.js';
import { prepared } from './prepared-request.js';
import type { Client } from './reply.js';
import { type Head, headersOnward } from './request-head.js';
import type { GatewaySession } from './session.js';

const LIMITS: Record<string, string> = {
  max_steps: 'its steps are used up',
  cost: 'its cost limit is reached',
  tokens: 'its token limit is reached',
  budget: "its batch's budget is spent",
  provider_refused: 'the provider refuses its calls',
};

const OF_THE_REQUEST: readonly string[] = ['bad_request', 'context_window'];

export const NOT_RECORDED = 'the request has values that cannot be recorded';

export const namesOf = ({ parts: { run } }: GatewaySession): string[] => [
  run.model.name,
  run.model.config?.model ?? run.model.model,
];

export interface Asked {
  wire: Wire;
  head: Head;
  body: Json;
  bytes: number;
  request: IncomingMessage;
}

export async function answerCall(
  session: GatewaySession,
  { wire, head, body, bytes, request }: Asked,
  client: Client,
): Promise<void> {
  const { run, program, store } = session.parts;
  const model = textOf(body['model']);
  if (program.otherModels === 'refuse' && !namesOf(session).includes(model))
    return client.answer(otherModel(wire, model, namesOf(session)[0]!));
  const ready = await prepared(session, { wire, head, body, bytes });
  if ('status' in ready) return client.answer(ready);

  const { call, split, ...outgoing } = ready;
  const { fingerprint } = call;
  if (await handOutAgain(session, { wire, body, fingerprint }, client)) return;
  if (await replay(session, { wire, body, call }, client)) return;
  const overLimit = (): void => {
    session.refused();
    const why = `the run ends here: ${LIMITS[session.limit ?? ''] ?? 'a limit is reached'}`;
    client.answer(limitReached(wire, limitAnswerOf(wire, program.limitAnswer, head.userAgent), why));
  };
  if (session.limit !== null) return overLimit();
  if (!session.mayTry(fingerprint) || session.fatal !== null)
    return client.answer(later(wire, 503, 'this request has failed too often', 30));
  const leave = session.enter();
  if (leave === null) return client.answer(later(wire, 429, 'too many calls at once', 1));
  try {
    await seeResults(session, wire, body);
    const claim = { ...call, most: run.maxSteps };
    const step = await store.claimStep(run.runId, newCallKey(), session.parts.epoch, claim);
    if (step === null) {
      session.reach('max_steps');
      return overLimit();
    }
    await store.keepRequest(run.runId, step, session.newParts(split));
    session.keep(split);
    const making = make(session, { step, wire, asked: body, ...outgoing, headers: headersOnward(request) }, client);
    const result = await whileThere(session, { making, fingerprint, step }, client);
    switch (result.kind) {
      case 'answered':
        session.answered(fingerprint);
        if (body['stream'] === true && client.hasBegun) await client.end();
        else await client.whole(wire, result.answer, body);
        if (client.gone) await store.clientDisconnected(run.runId, step);
        return;
      case 'limit':
        session.reach(result.endReason);
        return overLimit();
      case 'refused':
        return client.answer({ status: result.status, body: result.body });
      case 'fault': {
        const { fault, begun } = result;
        session.failed(fingerprint, fault);
        // Of a request that a client may change, no other call suffers.
        if (!fault.retryable && !(begun && OF_THE_REQUEST.includes(fault.kind))) session.fail(fault);
        if (begun) return client.cut();
        const status = fault.kind === 'rate_limited' ? 429 : 503;
        return client.answer(
          later(wire, status, 'the provider does not answer now', (fault.retryAfterMs ?? 5000) / 1000),
        );
      }
    }
  } finally {
    leave();
  }
}

/** Free, for a program that repeats the calls of a lost container. */
async function replay(
  session: GatewaySession,
  { wire, body, call }: { wire: Wire; body: Json; call: ProgramCall },
  client: Client,
): Promise<boolean> {
  const { run, epoch, store } = session.parts;
  const { runId } = run;
  if (epoch === 1) return false;
  const known = await store.replayAnswer(runId, epoch, call);
  if (known === null) {
    const left = await store.leaveRecord(runId, epoch, call.agent);
    if (left > 0)
      await store.addEvent({
        ...{ runId, batchId: run.batchId, kind: 'program_diverged', key: `program-${epoch}-${call.agent}` },
        detail: `started again in container ${epoch}, the program asks otherwise than before: ${left} recorded answers are left behind`,
      });
    return false;
  }
  await client.whole(wire, known.answer, body);
  if (client.gone) await store.clientDisconnected(runId, known.step);
  return true;
}

/** Runs to the end, even without the client. */
async function make(
  session: GatewaySession,
  call: Parameters<GatewaySession['parts']['calls']['call']>[0],
  client: Client,
): Promise<MeteredResult> {
  const { run, store, calls } = session.parts;
  const { step, wire } = call;
  const started = performance.now();
  const save = (response: string, action: string | null): Promise<boolean> =>
    store.saveAction(run.runId, step, {
      ...{ response, thought: response, action },
      modelMs: Math.round(performance.now() - started),
    });
  const result = await calls
    .call(call, { event: (event) => client.event(event), waits: (pause) => session.waits(pause) })
    .catch((error: unknown): MeteredResult => {
      // Only this call: the next one has other values.
      if (error instanceof RefusedRow) return { kind: 'refused', ...refusal(wire, 400, NOT_RECORDED) };
      session.fail(error instanceof Error ? error : new Error(String(error)));
      throw error;
    });
  if (result.kind === 'answered') {
    await store.keepAnswer(run.runId, step, result.answer);
    const { text, toolCalls = [] } = wire.reply(result.answer);
    await save(text, actionOf(toolCalls));
    return result;
  }
  const why =
    result.kind === 'limit'
      ? 'a limit of the run'
      : result.kind === 'refused'
        ? `it was refused with status ${result.status}`
        : result.fault.message;
  await save('', null);
  await store.observe(run.runId, step, `[no answer: ${why}]`);
  return result;
}

/** A client that disconnects leaves its answer to the next equal request. */
async function whileThere(
  session: GatewaySession,
  { making, fingerprint, step }: { making: Promise<MeteredResult>; fingerprint: string; step: number },
  client: Client,
): Promise<MeteredResult> {
  const answer = making.then(
    (result) => (result.kind === 'answered' ? result.answer : null),
    () => null,
  );
  client.onGone(() => session.orphan(fingerprint, { step, answer }));
  return making;
}

/** The answer for a client that disconnected: once, and free. */
async function handOutAgain(
  session: GatewaySession,
  { wire, body, fingerprint }: { wire: Wire; body: Json; fingerprint: string },
  client: Client,
): Promise<boolean> {
  const { run, store } = session.parts;
  const orphan = session.adopt(fingerprint);
  const found = orphan === undefined ? null : await orphan.answer;
  // The row says whether it was handed out already.
  if (orphan !== undefined && found !== null) await store.clientDisconnected(run.runId, orphan.step);
  const kept = await store.takeAnswer(run.runId, fingerprint, session.parts.epoch);
  if (kept === null) return false;
  await client.whole(wire, kept.answer, body);
  return true;
}

/** Tool results, as the client reports them with its next question. */
async function seeResults(session: GatewaySession, wire: Wire, body: Json): Promise<void> {
  const results = wire.results(body);
  if (results.length === 0) return;
  const { run, store } = session.parts;
  for (const { step, calls } of await store.openSteps(run.runId)) {
    const texts = results.filter(({ id }) => calls.includes(id)).map(({ text }) => text);
    if (texts.length > 0) await store.observe(run.runId, step, texts.join('\n'));
  }
}
