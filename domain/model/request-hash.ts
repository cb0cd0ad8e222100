import { createHash } from 'node:crypto';
import type { ChatMessage } from './model.js';

/**
 * For `model_calls.request_hash`: shows whether two requests are equal. SHA-256 of the request's
 * JSON, in pieces: it may be megabytes, several times per step.
 */
export function requestHash(request: { provider: string; model: string; messages: readonly ChatMessage[] }): string {
  const hash = createHash('sha256').update(`[${JSON.stringify(request.provider)},${JSON.stringify(request.model)},[`);
  for (const [i, message] of request.messages.entries()) hash.update(`${i === 0 ? '' : ','}${JSON.stringify(message)}`);
  return hash.update(']]').digest('hex');
}
