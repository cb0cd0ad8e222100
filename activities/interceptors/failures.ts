import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { partOf } from '../../domain/run/end-cause.js';
import {
  BenchError,
  DatabaseAway,
  HostLeft,
  InfrastructureError,
  RefusedRow,
  SandboxLost,
  Stale,
  Unrecoverable,
} from '../../domain/errors.js';
import { ProviderError } from '../../domain/model/provider-error.js';
import { FAILURE, type FailedPart } from '../../domain/model/messages.js';

/** Decides whether an error is retried. Histories keep messages, so they are cut. */
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
  if (error instanceof Unrecoverable || error instanceof RefusedRow)
    return ApplicationFailure.create({
      ...{ type: error.name, nonRetryable: true, message: error.message.slice(0, 1000) },
      details: partsOf(error),
    });
  if (error instanceof ProviderError) return providerFailure(error);
  // Others are named by their activity.
  if (error instanceof InfrastructureError && partOf(error) !== undefined)
    return ApplicationFailure.create({ type: error.name, message: error.message, details: partsOf(error) });
  return error;
}

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

/** For bounded activities: about an hour of a failing part. */
const ATTEMPTS = 60;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** PostgreSQL is back soon, or this worker stops polling. */
const DATABASE_PAUSE_MS = 1_000;

/**
 * Adds the pause before the next attempt. Retry policies are short, so that runs continue soon
 * after a worker's loss; an attempt's own failures wait longer each time.
 */
export function withPause(error: unknown, attempt: number): unknown {
  if (error instanceof DatabaseAway) return ApplicationFailure.fromError(error, { nextRetryDelay: DATABASE_PAUSE_MS });
  const failure = ApplicationFailure.fromError(asFailure(error));
  if (failure.nonRetryable === true) return failure;
  const given: unknown = failure.nextRetryDelay;
  const pause = typeof given === 'number' ? given : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  return ApplicationFailure.fromError(failure, { nonRetryable: attempt >= ATTEMPTS, nextRetryDelay: pause });
}

export const failures = ({ info, cancellationSignal }: Context): ActivityInterceptors => ({
  inbound: {
    async execute(input, next) {
      try {
        return await next(input);
      } catch (error) {
        const isBounded = (info.retryPolicy?.maximumAttempts ?? 0) > 0;
        throw isBounded && !cancellationSignal.aborted ? withPause(error, info.attempt) : asFailure(error);
      }
    },
  },
});
