import type { ModelRef, ModelReply, ModelRequest } from '../model/model.js';

/** Called once there is a connection, before anything of the request goes out; nothing does if it throws. */
export type Sending = () => Promise<void>;

/** A provider. Every adapter passes test/unit/models/model-port. */
export interface ModelPort {
  /**
   * Throws ProviderError for any fault of the provider or the network, and the signal's reason once that is aborted. The model's own
   * faults (an empty answer, a refusal, a malformed tool call) are replies.
   */
  complete(request: ModelRequest, signal: AbortSignal, sending?: Sending): Promise<ModelReply>;
  /** It calls `sending`: a call for which that was not called cost nothing. */
  tellsSending?: true;
  /**
   * Names the account whose rate limits a call of the model counts against: provider, address and the key's name, never a key.
   * Absent: nothing limits it.
   */
  account?(model: ModelRef): string;
  /** Host and path that a call of the model goes to, without credentials. Absent: to no server. */
  endpoint?(model: ModelRef): string;
}
