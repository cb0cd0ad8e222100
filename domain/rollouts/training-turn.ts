import type { ToolCall } from '../model/model.js';
import type { CapturedCall, CaptureLevel } from './captured-tokens.js';

export interface RolloutCall extends CapturedCall {
  runId: string;
  step: number;
  /** From 0; earlier replies could not be read as a command. */
  try: number;
  text: string;
  toolCalls: ToolCall[] | null;
  finishReason: string;
}

/** For trainers; token fields are empty below level `tokens`. */
export interface TrainingTurn {
  turn: number;
  /** `<run>/<step>/<try>`. */
  node_id: string;
  step: number;
  prompt_token_ids: number[];
  completion_token_ids: number[];
  per_token_logps: number[];
  /** Over prompt and completion: 1 for sampled tokens. */
  loss_mask: number[];
  trainable: boolean;
  finish_reason: string;
  text: string;
  tool_calls: { id: string; name: string; arguments: string }[];
  n_tools: number;
  request_messages: unknown[];
  request_tools: unknown[] | null;
  sampling_params: Record<string, unknown>;
}

/** 0 for prompt tokens, 1 for sampled ones. */
export const lossMask = (prompt: number, sampled: number): number[] => [
  ...Array.from({ length: prompt }, () => 0),
  ...Array.from({ length: sampled }, () => 1),
];

/** In the order of play. */
export function trainingTurns(calls: readonly RolloutCall[], level: CaptureLevel | null): TrainingTurn[] {
  return calls.map((call, turn) => {
    const whole = level === 'tokens';
    const prompt = whole ? (call.promptTokenIds ?? []) : [];
    const sampled = whole ? (call.tokenIds ?? []) : [];
    return {
      turn,
      node_id: `${call.runId}/${call.step}/${call.try}`,
      step: call.step,
      prompt_token_ids: prompt,
      completion_token_ids: sampled,
      per_token_logps: level === 'text' ? [] : (call.logprobs ?? []),
      loss_mask: lossMask(prompt.length, sampled.length),
      trainable: sampled.length > 0,
      finish_reason: call.finishReason,
      text: call.text,
      tool_calls: (call.toolCalls ?? []).map((one) => ({ id: one.id, name: one.name, arguments: one.arguments })),
      n_tools: call.request.tools?.length ?? 0,
      request_messages: call.request.messages,
      request_tools: call.request.tools,
      sampling_params: call.request.sampling,
    };
  });
}
