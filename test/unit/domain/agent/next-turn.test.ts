import { describe, expect, it } from 'vitest';
import type { ReplyInput } from '../../../../domain/agent/parse-reply.js';
import type { ModelRef } from '../../../../domain/model/model.js';
import { nextTurn } from '../../../../domain/agent/next-turn.js';
import { agentConfig, taskSpec } from '../../../fakes/records.js';

const run = {
  task: taskSpec(),
  agent: agentConfig({
    formatErrorTemplate: 'format: {{ problem }} / {{ expectedFormat }}',
    blocklistErrorTemplate: 'blocked: {{ command }} / {{ problem }} / {{ action }}',
  }),
  maxSteps: 5,
};
const good = { text: 'I look.\n```\nls\n```' };
const bad = { text: 'no block here' };
const blocked = { text: '```\nvim a.py\n```' };

describe('nextTurn', () => {
  it('asks with nothing more than the prompt at first', () =>
    expect(nextTurn(run, [])).toEqual({ kind: 'ask', messages: [] }));
  it('takes a usable reply', () =>
    expect(nextTurn(run, [good])).toEqual({ kind: 'action', response: good.text, thought: 'I look.', action: 'ls' }));
  it('shows a bad reply and what was wrong with it', () => {
    const turn = nextTurn(run, [bad]);
    expect(turn).toMatchObject({ kind: 'ask', messages: [{ role: 'assistant', content: bad.text }, { role: 'user' }] });
    expect(turn.kind === 'ask' && turn.messages[1]?.content).toMatch(
      /^format: there was no fenced code block.* \/ Answer with/,
    );
  });
  it('shows only the latest bad reply', () => {
    const turn = nextTurn(run, [bad, blocked]);
    expect(turn.kind === 'ask' && turn.messages.map(({ content }) => content)).toEqual([
      blocked.text,
      'blocked: vim / `vim` is not available here / vim a.py',
    ]);
  });
  it('reads the third reply like the first', () =>
    expect(nextTurn(run, [bad, blocked, good])).toMatchObject({ kind: 'action', action: 'ls' }));
  it.each([
    ['three that cannot be read', [bad, bad, bad]],
    ['three refused commands', [blocked, blocked, blocked]],
    ['some of each', [bad, blocked, bad]],
  ])('ends by format after %s', (_, replies) =>
    expect(nextTurn(run, replies)).toMatchObject({ kind: 'end', endReason: 'format', response: replies.at(-1)?.text }),
  );
  it('ends by refusal if the last reply was one, and runs nothing of a refusal', () => {
    const refusal = { ...good, finishReason: 'refusal' };
    expect(nextTurn(run, [refusal])).toMatchObject({ kind: 'ask' });
    expect(nextTurn(run, [bad, bad, refusal])).toMatchObject({ kind: 'end', endReason: 'refusal' });
    expect(nextTurn(run, [bad, bad, { ...bad, finishReason: 'content_filter' }])).toMatchObject({
      endReason: 'refusal',
    });
    expect(nextTurn(run, [refusal, refusal, bad])).toMatchObject({ endReason: 'format' });
  });
  it('has the fallback asked after a refusal, which it does not see, and keeps no reasoning of it', () => {
    const config = { fallback: { name: 'lenient', config: {} } };
    const model = { name: 'm', kind: 'real', provider: 'openai', model: 'm', config } as unknown as ModelRef;
    const refusal = { text: 'no', finishReason: 'refusal' };
    const at = (...replies: ReplyInput[]) => nextTurn({ ...run, model }, replies);
    expect(at(refusal)).toEqual({ kind: 'ask', messages: [], fallback: true });
    expect(at(bad)).not.toHaveProperty('fallback');
    expect(at(refusal, bad)).toMatchObject({ kind: 'ask', fallback: true, messages: [{ content: bad.text }, {}] });
    expect(at(refusal, { ...good, reasoning: 'opaque' })).toEqual({
      ...{ kind: 'action', response: good.text, thought: 'I look.', action: 'ls' },
    });
    expect(at({ ...good, reasoning: 'opaque' })).toMatchObject({ reasoning: 'opaque' });
    expect(at(refusal, refusal, refusal)).toMatchObject({ kind: 'end', endReason: 'refusal' });
  });
  it('never sends an empty reply back', () => {
    const turn = nextTurn(run, [{ text: ' ' }]);
    expect(turn.kind === 'ask' && turn.messages[0]?.content.trim()).not.toBe('');
  });
});
