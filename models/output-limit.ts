import { estimateTokens } from '../domain/model/estimate-tokens.js';
import type { ModelRequest } from '../domain/model/model.js';
import type { ModelConfig } from '../domain/model/config.js';
import { samplingFor } from '../domain/model/sampling.js';

/** A reply's minimum, even if our high estimate of the prompt leaves less. */
const LEAST_OUTPUT = 1024;

/** As requested, or less when the prompt nearly fills the window. */
export function outputLimit(
  config: ModelConfig,
  request: Pick<ModelRequest, 'messages' | 'tools' | 'sampling'>,
): number {
  const wanted = samplingFor(config, request.sampling).maxOutputTokens ?? config.maxOutputTokens;
  const room = config.contextWindow - estimateTokens(request.messages, request.tools);
  return Math.max(Math.min(wanted, LEAST_OUTPUT), Math.min(wanted, room));
}
