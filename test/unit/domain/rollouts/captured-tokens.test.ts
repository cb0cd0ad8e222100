import { describe, expect, test } from 'vitest';
import { type CaptureLevel, capturedTokens, leastLevel } from '../../../../domain/rollouts/captured-tokens.js';
import { lossMask, type RolloutCall, trainingTurns } from '../../../../domain/rollouts/training-turn.js';

const logprobs = (...values: number[]) => ({ content: values.map((logprob) => ({ token: 'x', logprob })) });
const whole = { level: 'tokens', promptTokenIds: [1, 2], tokenIds: [3, 4], logprobs: [-0.5, 0] };

describe('the tokens of an answer', () => {
  test.each([
    [
      'vLLM, at the top level',
      { prompt_token_ids: [1, 2], choices: [{ token_ids: [3, 4], logprobs: logprobs(-0.5, 0) }] },
    ],
    ['SGLang, per choice', { choices: [{ prompt_token_ids: [1, 2], token_ids: [3, 4], logprobs: logprobs(-0.5, 0) }] }],
  ])('are read as %s has them', (_server, body) => {
    expect(capturedTokens(body, 'tokens')).toEqual(whole);
  });

  test.each<[string, unknown, CaptureLevel]>([
    ['no ids of the prompt', { choices: [{ token_ids: [3, 4], logprobs: logprobs(-1, -1) }] }, 'logprobs'],
    [
      'one id too few',
      { prompt_token_ids: [1], choices: [{ token_ids: [3], logprobs: logprobs(-1, -1) }] },
      'logprobs',
    ],
    [
      'ids that are texts',
      { prompt_token_ids: ['1'], choices: [{ token_ids: [3], logprobs: logprobs(-1) }] },
      'logprobs',
    ],
    [
      'a probability above 1',
      { prompt_token_ids: [1], choices: [{ token_ids: [3], logprobs: logprobs(0.1) }] },
      'text',
    ],
    ['ids without log-probabilities', { prompt_token_ids: [1], choices: [{ token_ids: [3], logprobs: null }] }, 'text'],
    ['no choice', { prompt_token_ids: [1], choices: [] }, 'text'],
    ['nothing that fits', 'page', 'text'],
  ])('with %s count for less', (_defect, body, level) => {
    expect(capturedTokens(body, 'tokens')).toMatchObject({ level, promptTokenIds: null, tokenIds: null });
  });

  test('are not read where nobody asked for them', () => {
    const body = { prompt_token_ids: [1, 2], choices: [{ token_ids: [3, 4], logprobs: logprobs(-0.5, 0) }] };
    expect(capturedTokens(body, 'logprobs')).toMatchObject({ level: 'logprobs', tokenIds: null, logprobs: [-0.5, 0] });
    expect(capturedTokens(body, 'text')).toMatchObject({ level: 'text', logprobs: null });
  });
});

test('a rollout is worth what its poorest answer is', () => {
  expect(leastLevel(['tokens', 'logprobs', 'tokens'])).toBe('logprobs');
  expect(leastLevel(['tokens', 'text'])).toBe('text');
  expect(leastLevel([])).toBeNull();
});

describe('turns', () => {
  const call: RolloutCall = {
    ...{ runId: 'r-1', step: 2, try: 1, text: 'ls', toolCalls: null, finishReason: 'stop' },
    ...{ ...whole, level: 'tokens' },
    request: { messages: [{ role: 'user', content: 'go' }], tools: null, sampling: { temperature: 1 } },
  };

  test('train on what was sampled, never on the prompt', () => {
    expect(lossMask(2, 3)).toEqual([0, 0, 1, 1, 1]);
    expect(trainingTurns([call], 'tokens')).toMatchObject([
      { turn: 0, node_id: 'r-1/2/1', loss_mask: [0, 0, 1, 1], completion_token_ids: [3, 4], trainable: true },
    ]);
  });

  test('of a rollout for evaluation hold no token, even if this one had some', () => {
    expect(trainingTurns([call], 'text')).toMatchObject([
      {
        prompt_token_ids: [],
        completion_token_ids: [],
        per_token_logps: [],
        loss_mask: [],
        trainable: false,
        text: 'ls',
      },
    ]);
  });
});
