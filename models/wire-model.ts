import type { ModelConfig } from '../domain/model/config.js';
import type { ModelReply, ModelRequest } from '../domain/model/model.js';
import type { ModelPort, Sending } from '../domain/ports/model-port.js';
import { asProviderError, isContentPolicy } from './as-provider-error.js';
import { boundedCall } from './bounded-call.js';
import { refusedPrompt } from './checked-usage.js';
import { errorAnswer } from './error-answer.js';
import { httpFetch } from './http-fetch.js';
import { keyHeaders } from './key-headers.js';
import { type ModelSettings, USUAL_BASE_URL } from './model-settings.js';
import { withStatedLimits } from './stated-limits.js';

/** What distinguishes a wire that is spoken without its provider's SDK. */
export interface ModelWire {
  /** Below the base address. */
  path(config: ModelConfig): string;
  body(config: ModelConfig, request: ModelRequest): object;
  /** Throws ErrorAnswer for an error inside a success, UnusableResponse for what is no answer. */
  reply(answer: { data: unknown; headers: Headers }, request: ModelRequest, config: ModelConfig, now: Date): ModelReply;
}

/** Posts JSON, and reads the whole answer. */
export function createWireModel(settings: ModelSettings, wire: ModelWire): ModelPort {
  const { config, apiKey, publicOnly } = settings;
  const base = settings.baseUrl ?? config.baseUrl ?? USUAL_BASE_URL[config.provider] ?? '';
  const url = `${base.replace(/\/+$/, '')}${wire.path(config)}`;
  const timeout = settings.requestTimeoutMs ?? config.requestTimeoutSeconds * 1000;
  const clock = settings.now ?? (() => new Date());
  const post = async (body: string, callId: string | undefined, signal: AbortSignal, sending?: Sending) => {
    const headers = {
      ...{ 'content-type': 'application/json', accept: 'application/json', ...settings.headers },
      ...keyHeaders(config, apiKey),
      ...(callId === undefined ? {} : { 'x-client-request-id': callId }),
    };
    const response = await httpFetch(url, { method: 'POST', headers, body, signal }, { sending, publicOnly });
    // A redirect, which is not followed.
    if (response.status >= 300) throw errorAnswer(response.status, response.headers, '');
    return { data: await response.json(), headers: response.headers };
  };
  return {
    tellsSending: true,
    async complete(request, signal, sending) {
      const body = JSON.stringify(wire.body(config, request));
      try {
        const answer = await boundedCall(signal, timeout, (bounded) => post(body, request.callId, bounded, sending));
        return withStatedLimits(wire.reply(answer, request, config, clock()), answer.headers);
      } catch (error) {
        signal.throwIfAborted();
        if (isContentPolicy(error)) return refusedPrompt;
        const { provider, model } = config;
        const bodyBytes = (): number => Buffer.byteLength(body);
        throw asProviderError(error, { provider, model, apiKey, now: clock(), bodyBytes });
      }
    },
  };
}
