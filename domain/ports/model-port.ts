import type { ModelRef, ModelReply, ModelRequest } from '../model.js';

/** A provider. Every adapter passes test/unit/models/model-port. */
export interface ModelPort {
  /**
   * Throws ProviderError for whatever the provider or the way to it does wrong, and the signal's reason once that is aborted.
   * What the model itself does wrong (nothing said, a refusal, garbage in a tool call) is a reply.
   */
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
  /**
   * Names the account whose rate limits a call of the model counts against: provider, address and the key's name, never a key.
   * Absent: nothing limits it.
   */
  account?(model: ModelRef): string;
}
