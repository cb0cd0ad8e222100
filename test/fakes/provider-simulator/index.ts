import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { anthropicWire } from './anthropic-wire.js';
import type { Behaviour, Fault, SimulatedReply, SimulatedRequest } from './behaviour.js';
import { Bill, type SimulatedPrice } from './bill.js';
import { TokenCounter } from './count-tokens.js';
import { geminiWire } from './gemini-wire.js';
import { openAiWire } from './openai-wire.js';
import { responsesWire } from './responses-wire.js';
import { streamOf } from './streams.js';
import { type TokensOnWire, withTokens } from './tokens-on-wire.js';
import { type ErrorName, usageOnWire, type Wire } from './wire.js';

export type * from './behaviour.js';
export type { BillEntry, SimulatedPrice } from './bill.js';
export type { TokensOnWire } from './tokens-on-wire.js';
export { logprobOf, tokensOf } from './tokens-on-wire.js';
export { playProgram } from './play-program.js';
export { playPolicy } from './play-policy.js';

export interface SimulatorOptions {
  behaviour: Behaviour;
  /** Default: 1, 0.1, 1.25 and 5 dollars per million tokens. */
  priceOf?: (model: string) => SimulatedPrice;
  /** Requested token data: like vLLM or SGLang, log-probabilities alone, or refused. */
  tokens?: TokensOnWire;
  keys?: readonly string[];
}

export interface ProviderSimulator {
  /** For OPENAI_BASE_URL: with /v1. */
  readonly openAiBaseUrl: string;
  /** For ANTHROPIC_BASE_URL: without. */
  readonly anthropicBaseUrl: string;
  /** For the native wire of Gemini. */
  readonly geminiBaseUrl: string;
  readonly bill: Bill;
  readonly requests: readonly SimulatedRequest[];
  /** Number of requests to count tokens. */
  readonly counted: number;
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

const WIRES: Readonly<Record<string, Wire>> = {
  '/v1/chat/completions': openAiWire,
  '/v1/responses': responsesWire,
  '/v1/messages': anthropicWire,
};
const GEMINI = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;
const NAMES = new Map<Wire, SimulatedRequest['wire']>([
  [openAiWire, 'openai'],
  [responsesWire, 'responses'],
  [anthropicWire, 'anthropic'],
  [geminiWire, 'gemini'],
]);
const PRICE: SimulatedPrice = { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 };

/** A local HTTP server for all wires, with scripted faults and a bill. */
export async function startProviderSimulator(options: SimulatorOptions): Promise<ProviderSimulator> {
  let { behaviour } = options;
  const bill = new Bill(options.priceOf ?? (() => PRICE));
  const counter = new TokenCounter();
  const requests: SimulatedRequest[] = [];
  let counted = 0;
  const sockets = new Set<Socket>();

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '').split('?')[0];
    const wire =
      path === '/v1/messages/count_tokens'
        ? anthropicWire
        : (WIRES[path ?? ''] ?? (GEMINI.test(path ?? '') ? geminiWire : null));
    let text = '';
    for await (const chunk of incoming as AsyncIterable<Buffer>) text += chunk.toString('utf8');
    if (wire === null) return send(response, 404, { error: { message: `no route ${path}` } });
    const [, asked, method] = GEMINI.exec(path ?? '') ?? [];
    const address = asked === undefined ? {} : { model: asked, stream: method === 'streamGenerateContent' };
    const body = { ...(JSON.parse(text) as Record<string, unknown>), ...address };
    const key = wire.keyOf(incoming.headers);
    const model = String(body['model']);
    const fail = (name: ErrorName, headers: Record<string, string> = {}, status?: number): void => {
      const error = wire.error(name, { model, key });
      send(response, status ?? error.status, error.body, headers);
    };
    if (options.keys !== undefined && !options.keys.includes(key)) return fail('unauthorized');
    const refusal = wire.refusal(body);
    const asksTooMuch = options.tokens === undefined && 'return_token_ids' in body;
    if (asksTooMuch) return fail('bad_request');
    if (path === '/v1/messages/count_tokens') {
      counted += 1;
      return send(response, 200, { input_tokens: Math.ceil(text.length / 4) });
    }
    if (refusal !== null) {
      return send(response, 400, { type: 'error', error: { type: 'invalid_request_error', message: refusal } });
    }
    const callId = incoming.headers['x-client-request-id'];
    const request: SimulatedRequest = {
      wire: NAMES.get(wire)!,
      number: requests.length + 1,
      key,
      model,
      messages: wire.messages(body),
      tools: wire.tools(body),
      callId: typeof callId === 'string' ? callId : null,
      headers: incoming.headers,
      body,
    };
    requests.push(request);
    const decided = await behaviour(request);
    if (decided.kind === 'reply') reply(wire, request, decided, response);
    else misbehave(wire, request, decided, response, fail);
  }

  function reply(wire: Wire, request: SimulatedRequest, decided: SimulatedReply, response: ServerResponse): void {
    const usage = counter.count(request, decided);
    const entry = bill.add({ key: request.key, callId: request.callId, model: request.model, usage });
    const sent = usageOnWire(wire.usage(usage), decided.usageOnWire);
    response.once('finish', () => {
      entry.delivered = (decided.usageOnWire ?? 'true') === 'true';
    });
    const answer = wire.answer(`sim-${request.number}`, request.model, decided, sent);
    if (request.body['stream'] === true) return stream(response, streamOf(request, answer));
    send(response, 200, withTokens(answer, request, decided.text ?? '', options.tokens));
  }

  function misbehave(
    wire: Wire,
    request: SimulatedRequest,
    fault: Fault,
    response: ServerResponse,
    fail: (name: ErrorName, headers?: Record<string, string>, status?: number) => void,
  ): void {
    const half = (): string => {
      const said: SimulatedReply = { kind: 'reply', text: 'an answer that is cut' };
      const usage = counter.count(request, said);
      bill.add({ key: request.key, callId: request.callId, model: request.model, usage });
      return JSON.stringify(wire.answer('sim', request.model, said, wire.usage(usage)));
    };
    switch (fault.kind) {
      case 'rate_limit':
      case 'overloaded':
        return fail(fault.kind, fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter });
      case 'server_error':
        return fail('server_error', {}, fault.status);
      case 'hang':
        return;
      case 'cut':
        response.destroy();
        return;
      case 'error_in_stream': {
        const { body } = wire.error('overloaded', { model: request.model, key: request.key });
        const failed = { type: 'response.failed', response: { id: 'sim', status: 'failed', ...body } };
        const data = request.wire === 'responses' ? failed : body;
        return stream(response, [
          `event: ${request.wire === 'responses' ? failed.type : 'error'}\ndata: ${JSON.stringify(data)}\n\n`,
        ]);
      }
      case 'hang_in_body':
      case 'cut_in_body': {
        const whole = half();
        if (request.body['stream'] === true) {
          const events = streamOf(request, JSON.parse(whole) as Record<string, unknown>);
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(events.slice(0, Math.ceil(events.length / 2)).join(''), () => {
            if (fault.kind === 'cut_in_body') response.destroy();
          });
          return;
        }
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(whole) });
        response.write(whole.slice(0, whole.length / 2), () => {
          if (fault.kind === 'cut_in_body') response.destroy();
        });
        return;
      }
      case 'malformed_json':
        return sendText(response, 'application/json', half().slice(0, -7));
      case 'not_json':
        return sendText(response, 'text/html', `<html>a page of some proxy, for ${request.key}</html>`);
      case 'page': {
        const page = `\n<!DOCTYPE html><html><body>It works! You came with ${request.key}</body></html>`;
        return sendText(
          response,
          fault.status === undefined ? 'text/plain' : 'text/html; charset=utf-8',
          page,
          fault.status,
        );
      }
      case 'wrong_shape':
        return send(response, 200, { echo: request.key, choices: 'none', content: 'none', candidates: 'none' });
      case 'bad_request':
        if (fault.code === undefined) return fail('bad_request');
        return send(response, 400, { error: { message: 'no', type: 'invalid_request_error', code: fault.code } });
      default:
        return fail(fault.kind);
    }
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      // A caller may disconnect; anything else is a defect of the test.
      if (incoming.destroyed || response.destroyed) return;
      send(response, 500, { error: { message: `simulator: ${String(error)}` } });
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    openAiBaseUrl: `http://127.0.0.1:${port}/v1`,
    anthropicBaseUrl: `http://127.0.0.1:${port}`,
    geminiBaseUrl: `http://127.0.0.1:${port}/v1beta`,
    bill,
    requests,
    get counted() {
      return counted;
    },
    behave(next) {
      behaviour = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function stream(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_sim' });
  for (const event of events) response.write(event);
  response.end();
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_sim', ...headers });
  response.end(JSON.stringify(body));
}

function sendText(response: ServerResponse, type: string, text: string, status = 200): void {
  response.writeHead(status, { 'content-type': type });
  response.end(text);
}
