import { createHash } from 'node:crypto';
import type { ChatMessage } from './model.js';

/**
 * What `model_calls.request_hash` keeps of a request: shows whether a repeated question, or a prompt rendered again, is the same. The
 * SHA-256 of the request as JSON, which is not put together: it may be megabytes, several times a step.
 */
export function requestHash(request: { provider: string; model: string; messages: readonly ChatMessage[] }): string {
  const hash = createHash('sha256').update(`[${JSON.stringify(request.provider)},${JSON.stringify(request.model)},[`);
  for (const [i, message] of request.messages.entries()) hash.update(`${i === 0 ? '' : ','}${JSON.stringify(message)}`);
  return hash.update(']]').digest('hex');
}
