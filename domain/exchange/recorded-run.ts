import type { ToolCall } from '../model/model.js';
import type { TrajectoryStep } from '../views/trajectory.js';

/** A call to a provider, as stored; a reply that a policy outside gave has no usage. */
export interface RecordedCall {
  /** The question of the step: 1, and more after replies that were refused. */
  try: number;
  attempt: number;
  status: 'reserved' | 'confirmed' | 'unconfirmed' | 'failed';
  response: string | null;
  toolCalls: ToolCall[] | null;
  finishReason: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cachedTokens: number | null;
  reasoningTokens: number | null;
  cacheWriteTokens: number | null;
  costUsd: string | null;
  ms: number | null;
  error: string | null;
  /** What an external policy received for a refused reply; else rebuilt from the agent's templates. */
  answer?: string;
}

/** A step with all that was asked and answered in it. */
export interface ExchangedStep extends Omit<
  TrajectoryStep,
  'evaluations' | 'costUsd' | 'inputTokens' | 'outputTokens' | 'endpoint'
> {
  /** When the command's outcome was stored. */
  executedAt: string | null;
  calls: RecordedCall[];
  /** Episodes: what its last action earned. */
  reward: number | null;
}

/** The call whose reply the step is made of. */
export const answeringCall = (calls: readonly RecordedCall[]): RecordedCall | undefined =>
  calls.findLast(({ status }) => status === 'confirmed');

/** Replies before it that could not be used. */
export const refusedCalls = (calls: readonly RecordedCall[]): RecordedCall[] => {
  const answering = answeringCall(calls);
  return calls.filter((call) => call.status === 'confirmed' && call !== answering);
};
