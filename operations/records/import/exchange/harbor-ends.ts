import { type EndReason, UNSCORED_ENDS } from '../../../../domain/run/outcomes.js';
import { type Fields, fieldsOf, listOf, textOf } from './json-values.js';

/** Harbor's exceptions by end reason. The agent's own: time, context, tokens, refusal. */
const ENDS: Partial<Record<EndReason, readonly string[]>> = {
  wall_time: ['AgentTimeoutError'],
  context: ['ContextLengthExceededError', 'ContextWindowExceededError'],
  tokens: ['OutputLengthExceededError', 'OutputTokenExceededError'],
  forfeit: ['AgentSafetyRefusalError', 'ContentPolicyViolationError'],
  api: [
    ...[
      'APIConnectionError',
      'APIError',
      'APIResponseValidationError',
      'ApiConnectionClosedError',
      'ApiConnectionError',
    ],
    ...['ApiError', 'ApiInternalServerError', 'ApiOverloadedError', 'ApiRateLimitError', 'ApiResponseStalledError'],
    ...[
      'ApiUsageLimitError',
      'BadRequestError',
      'BudgetExceededError',
      'InternalServerError',
      'NetworkConnectionError',
    ],
    ...['RateLimitError', 'ServiceUnavailableError', 'Timeout', 'UnknownApiError', 'UnprocessableEntityError'],
    ...['UnsupportedParamsError'],
  ],
  config_error: [
    ...['AgentAuthenticationError', 'ApiProviderResourceNotFoundError', 'AuthenticationError', 'DspyImportError'],
    ...['MissingExtraError', 'ModelNotFoundError', 'NotFoundError', 'PermissionDeniedError'],
    ...['ServiceOperationsUnsupportedError', 'VercelScopeError'],
  ],
  infra_error: [
    ...['AddTestsDirError', 'AgentSetupTimeoutError', 'DownloadVerifierDirError', 'EnvironmentStartTimeoutError'],
    ...['GKEExecStreamClosedError', 'GKEPodNotFoundError', 'HealthcheckError', 'MemoryLimitExceededError'],
    ...['RegradeError', 'RuntimeRequestError', 'SSHAccessError', 'SandboxBuildFailedError'],
    ...['SandboxLikelyOutOfMemoryError'],
  ],
  cancelled: ['CancelledError'],
};
const REASONS: ReadonlyMap<string, EndReason> = new Map(
  Object.entries(ENDS).flatMap(([reason, types]) => types.map((type) => [type, reason as EndReason] as const)),
);
const OF_VERIFIER = new Set([
  ...['RewardFileEmptyError', 'RewardFileNotFoundError', 'VerifierOutputParseError', 'VerifierTimeoutError'],
]);

export interface TrialFault {
  reason: EndReason;
  type: string;
  detail: string;
  /** The verifier failed: whether the agent was right is unknown. */
  ofVerifier: boolean;
}

/** The trial's fault: one that is not the agent's takes precedence; else the first. */
export function faultOf(result: Fields): TrialFault | null {
  const faults = [result, ...listOf(result['step_results']).map(fieldsOf)].flatMap((holder) => faultsIn(holder));
  return faults.find(({ reason }) => UNSCORED_ENDS.includes(reason)) ?? faults[0] ?? null;
}

/** Harbor keeps one exception each: after the agent's, a verifier fault shows only as no reward. */
function faultsIn(holder: Fields): TrialFault[] {
  const exception = fieldsOf(holder['exception_info']);
  const type = textOf(exception['exception_type']);
  const message = textOf(exception['exception_message']);
  const problem = type === null && message === null ? null : [type, message].filter(Boolean).join(': ');
  const judged = holder['verifier_result'] ?? null;
  const faults: TrialFault[] = [];
  if (problem !== null) {
    const ofVerifier = OF_VERIFIER.has(type ?? '');
    // Before the agent's start an unknown exception is not the agent's.
    const otherwise = holder['agent_execution'] === null && !isMultiStep(holder) ? 'infra_error' : 'runtime';
    const reason = ofVerifier ? 'infra_error' : (REASONS.get(type ?? '') ?? otherwise);
    faults.push({ reason, type: type ?? 'error', detail: problem, ofVerifier });
  }
  if (judged === null && textOf(fieldsOf(holder['verifier'])['started_at']) !== null) {
    const detail = ['the verifier gave no reward', problem].filter((text) => text !== null).join('; ');
    faults.push({ reason: 'infra_error', type: type ?? 'no reward', detail, ofVerifier: true });
  }
  return faults;
}

/** Its phases are those of its steps. */
const isMultiStep = (holder: Fields): boolean => listOf(holder['step_results']).length > 0;
