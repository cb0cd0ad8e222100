import type { ModelReply, ModelRequest } from '../model.js';

/** A provider. Every adapter passes test/contracts/model-port. */
export interface ModelPort {
  /** Throws InfrastructureError for what a retry may mend; a provider's refusal to serve at all is a BenchError. */
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
}
