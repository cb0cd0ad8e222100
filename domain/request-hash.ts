import { createHash } from 'node:crypto';
import type { ChatMessage } from './model.js';

/** What `model_calls.request_hash` keeps of a request: shows whether a repeated question, or a prompt rendered again, is the same. */
export const requestHash = (request: { provider: string; model: string; messages: readonly ChatMessage[] }): string =>
  createHash('sha256')
    .update(JSON.stringify([request.provider, request.model, request.messages]))
    .digest('hex');
