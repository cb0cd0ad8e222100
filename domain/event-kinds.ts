/** What `bench events` tells of: faults, retries, recoveries. */
export const EVENT_KINDS = [
  'activity_retried',
  'command_lost',
  'evaluator_error',
  'forced_fallback',
  'forked',
  'host_admits',
  'host_lost',
  'host_paused',
  'host_returned',
  'lease_revoked',
  'limit_learned',
  'network_request',
  'provider_error',
  'reaped',
  'sandbox_lost',
  'sandbox_restarted',
  'service_ended',
  'snapshot_failed',
  'snapshot_missing',
  'submission_missing',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];
