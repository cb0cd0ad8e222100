import type { ToolCall } from '../model/model.js';
import type { TrajectoryStep } from '../views/trajectory.js';

/** A stored provider call; an external policy's reply has no usage. */
export interface RecordedCall {
  /** From 1; more after refused replies. */
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
  /** An external policy's answer to a refused reply; else rebuilt from the agent's templates. */
  answer?: string;
}

export interface ExchangedStep extends Omit<
  TrajectoryStep,
  'evaluations' | 'costUsd' | 'inputTokens' | 'outputTokens' | 'endpoint'
> {
  /** When the command's outcome was stored. */
  executedAt: string | null;
  calls: RecordedCall[];
  /** Episodes: the reward of its last action. */
  reward: number | null;
}

export const answeringCall = (calls: readonly RecordedCall[]): RecordedCall | undefined =>
  calls.findLast(({ status }) => status === 'confirmed');

export const refusedCalls = (calls: readonly RecordedCall[]): RecordedCall[] => {
  const answering = answeringCall(calls);
  return calls.filter((call) => call.status === 'confirmed' && call !== answering);
};
