import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from './json.js';

/** Equal for a client's retries: omits what they change, and the form of the answer. */
export function fingerprint(at: { runId: string; agent: string; path: string }, body: Json): string {
  const { stream: _s, stream_options: _o, client_metadata: _c, ...asked } = body;
  return createHash('sha256')
    .update(canonicalJson([at.runId, at.agent, at.path, asked]))
    .digest('hex');
}
