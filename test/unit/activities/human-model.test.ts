import { describe, expect, it } from 'vitest';
import { humanModels } from '../../../models/human.js';
import type { PlayerRequest } from '../../../domain/player.js';
import type { TurnKey } from '../../../domain/ports/turns.js';

const request: PlayerRequest = {
  model: { name: 'human', kind: 'human', provider: 'human', model: 'human' },
  messages: [{ role: 'user', content: '12345678' }],
  sampling: {},
  seed: 1,
  turn: { runId: 'r-1', step: 2, try: 1 },
};

/** Questions in memory; the reply comes after the person was looked for `looks` times. */
function person(reply: string, looks: number) {
  const asked: TurnKey[] = [];
  let looked = 0;
  return {
    asked,
    ask: (turn: TurnKey) => Promise.resolve(void asked.push(turn)),
    reply: () => Promise.resolve(looked++ < looks ? null : reply),
  };
}

describe('a person as a model', () => {
  it('is asked under the run, step and try, and waited for', async () => {
    const turns = person('```\nls\n```', 3);
    const reply = await humanModels(turns, 1).complete(request, new AbortController().signal);
    expect(turns.asked).toEqual([request.turn]);
    expect(reply).toEqual({
      text: '```\nls\n```',
      usage: { inputTokens: 2, outputTokens: 3, cachedTokens: 0, reasoningTokens: 0 },
      costUsd: '0',
      finishReason: 'stop',
    });
  });

  it('may have called a tool', async () => {
    const toolCalls = [{ id: 'call_1', name: 'validate', arguments: '{}' }];
    const turns = person(JSON.stringify({ reply: 1, text: 'Now.', toolCalls }), 0);
    const reply = await humanModels(turns, 1).complete(request, new AbortController().signal);
    expect(reply).toMatchObject({ text: 'Now.', toolCalls, finishReason: 'tool_calls' });
  });

  it('is left in the middle of a thought when the worker stops, with the reason of that', async () => {
    const controller = new AbortController();
    const stopped = new Error('WORKER_SHUTDOWN');
    const turns = { ...person('late', Infinity), reply: () => Promise.resolve((controller.abort(stopped), null)) };
    await expect(humanModels(turns, 60_000).complete(request, controller.signal)).rejects.toBe(stopped);
  });
});
