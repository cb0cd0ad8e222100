import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { partOf } from '../../domain/end-cause.js';
import { BenchError, HostLeft, InfrastructureError, SandboxLost, Stale, Unrecoverable } from '../../domain/errors.js';
import { ProviderError } from '../../domain/provider-error.js';
import { FAILURE, type FailedPart } from '../../domain/messages.js';

/**
 * The one place that decides whether an error is retried. Messages are cut: failures are kept in the history, where only our own
 * words and ids belong.
 */
export function asFailure(error: unknown): unknown {
  if (error instanceof SandboxLost)
    return ApplicationFailure.create({ type: FAILURE.sandboxLost, nonRetryable: true, message: error.message });
  if (error instanceof HostLeft)
    return ApplicationFailure.create({
      ...{ type: FAILURE.hostLeft, nonRetryable: true, message: error.message },
      category: ApplicationFailureCategory.BENIGN,
    });
  if (error instanceof Stale)
    return ApplicationFailure.create({ type: FAILURE.stale, nonRetryable: true, message: error.message });
  if (error instanceof BenchError && (error.type === 'usage' || error.type === 'not_found')) {
    const message = error.remedy === undefined ? error.message : `${error.message.replace(/\.$/, '')}. ${error.remedy}`;
    return ApplicationFailure.create({
      ...{ type: FAILURE.config, nonRetryable: true, message: message.slice(0, 1000) },
      details: partsOf(error),
    });
  }
  if (error instanceof Unrecoverable)
    return ApplicationFailure.create({
      ...{ type: error.name, nonRetryable: true, message: error.message.slice(0, 1000) },
      details: partsOf(error),
    });
  if (error instanceof ProviderError) return providerFailure(error);
  // Others say by their activity what failed.
  if (error instanceof InfrastructureError && partOf(error) !== undefined)
    return ApplicationFailure.create({ type: error.name, message: error.message, details: partsOf(error) });
  return error;
}

/** For the run's end, if the error names what failed. */
function partsOf(error: unknown): FailedPart[] {
  const part = partOf(error);
  return part === undefined ? [] : [{ part }];
}

function providerFailure(error: ProviderError): ApplicationFailure {
  return ApplicationFailure.create({
    message: error.message.slice(0, 1000),
    type: error.retryable ? `Provider:${error.kind}` : FAILURE.config,
    nonRetryable: !error.retryable,
    details: [{ part: 'provider' }] satisfies FailedPart[],
    // A rate limit is ordinary: retry exactly when the provider says.
    ...(error.kind === 'rate_limited' ? { category: ApplicationFailureCategory.BENIGN } : {}),
    ...(error.retryAfterMs === undefined ? {} : { nextRetryDelay: error.retryAfterMs }),
  });
}

/** Translates what an activity throws into Temporal's failures. */
export const failures = (): ActivityInterceptors => ({
  inbound: {
    async execute(input, next) {
      try {
        return await next(input);
      } catch (error) {
        throw asFailure(error);
      }
    },
  },
});
