import type { ModelRef, ModelReply, ModelRequest } from '../model/model.js';

/** Called once connected, before any of the request is sent; if it throws, nothing is sent. */
export type Sending = () => Promise<void>;

/** A provider. Every adapter passes test/unit/models/model-port. */
export interface ModelPort {
  /**
   * Throws ProviderError for provider or network faults, and the signal's reason when aborted. The
   * model's own faults (an empty answer, a refusal, a malformed tool call) are replies.
   */
  complete(request: ModelRequest, signal: AbortSignal, sending?: Sending): Promise<ModelReply>;
  /** The adapter calls `sending`: a call without it cost nothing. */
  tellsSending?: true;
  /** Account of the rate limits: provider, address and key name, never a key. Absent: no limits. */
  account?(model: ModelRef): string;
  /** Host and path of the model's calls, without credentials. Absent: no server. */
  endpoint?(model: ModelRef): string;
}
