import { mostTextBytes } from '../domain/gateway/body-text.js';
import { fingerprint } from '../domain/gateway/fingerprint.js';
import type { Json } from '../domain/gateway/json.js';
import { likeness } from '../domain/gateway/likeness.js';
import { type Answer, refusal } from '../domain/gateway/refusals.js';
import { type SplitRequest, splitRequest } from '../domain/gateway/request-parts.js';
import { bySlices, pause } from '../domain/gateway/slices.js';
import type { Allowed, Wire } from '../domain/gateway/wire.js';
import type { ProgramCall } from '../domain/ports/record/program-log.js';
import { reasons, samplingFor, takesNewOutputKey } from '../domain/model/sampling.js';
import { inTurn } from './bodies.js';
import type { Head } from './request-head.js';
import type { GatewaySession } from './session.js';

export interface Prepared {
  call: ProgramCall;
  body: Json;
  /** `body` as JSON. */
  text: string;
  images: number;
  imageBytes: number;
  split: SplitRequest;
}

/** What the run's model and limits allow. */
function allowedFor({ parts: { run, program } }: GatewaySession): Allowed {
  const config = run.model.config!;
  const most = samplingFor(config, run.sampling).maxOutputTokens ?? config.maxOutputTokens;
  return {
    model: config.model,
    maxOutputTokens: Math.min(most, program.maxOutputTokens ?? most),
    newOutputKey: takesNewOutputKey(config),
    accepts: config.accepts,
    reasons: reasons(config),
    scope: `bench-${run.runId}`,
  };
}

interface Given {
  wire: Wire;
  head: Head;
  body: Json;
  bytes: number;
  path?: string;
  /** Further keys to remove. */
  without?: readonly string[];
}

/** In slices, since a request may be megabytes. Failures are its client's fault: 400. */
export async function prepared(session: GatewaySession, given: Given): Promise<Prepared | Answer> {
  return inTurn(given.bytes, async () => {
    try {
      return await prepare(session, given);
    } catch {
      return refusal(given.wire, 400, 'the request cannot be read');
    }
  });
}

async function prepare(session: GatewaySession, given: Given): Promise<Prepared | Answer> {
  const { wire, head, body, bytes, path = wire.path, without = [] } = given;
  const { run } = session.parts;
  const cleaned = wire.clean(body, allowedFor(session));
  if ('refused' in cleaned) return refusal(wire, 400, cleaned.refused);
  const { images, imageBytes } = cleaned;
  const { contextWindow } = run.model.config!;
  if (bytes - imageBytes > mostTextBytes(contextWindow))
    return refusal(
      wire,
      400,
      `prompt is too long: ${bytes - imageBytes} bytes do not fit into the ${contextWindow} tokens of the model's context`,
      'context_length_exceeded',
    );
  for (const key of without) delete cleaned.body[key];
  await pause();
  const print = fingerprint({ runId: run.runId, agent: head.agent, path }, body);
  await pause();
  const call = {
    agent: head.agent,
    wire: wire.client,
    fingerprint: print,
    likeness: await bySlices(likeness(wire, body)),
  };
  const split = await bySlices(splitRequest(cleaned.body));
  await pause();
  return { call, body: cleaned.body, text: JSON.stringify(cleaned.body), images, imageBytes, split };
}
