import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from './json.js';

/** Says that a client asks the same again; what it changes between tries, and how it wants the answer, is left out. */
export function fingerprint(at: { runId: string; agent: string; path: string }, body: Json): string {
  const { stream: _s, stream_options: _o, client_metadata: _c, ...asked } = body;
  return createHash('sha256')
    .update(canonicalJson([at.runId, at.agent, at.path, asked]))
    .digest('hex');
}
