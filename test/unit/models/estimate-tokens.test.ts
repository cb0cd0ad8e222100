import { describe, expect, it } from 'vitest';
import { estimateTextTokens, estimateTokens, leastTokens } from '../../../domain/model/estimate-tokens.js';

// As GPT-4o's tokenizer counts them.
const KNOWN: [string, number][] = [
  ['', 0],
  ['hello world', 2],
  ['The quick brown fox jumps over the lazy dog.', 10],
];

describe('an estimate of tokens', () => {
  it.each(KNOWN)('is not below the count of %j, nor far above', (text, count) => {
    expect(estimateTextTokens(text)).toBeGreaterThanOrEqual(count);
    expect(estimateTextTokens(text)).toBeLessThanOrEqual(count * 3);
  });

  it('counts digits, signs and letters of other scripts one by one, or higher', () => {
    expect(estimateTextTokens('0.12345678')).toBe(10);
    expect(estimateTextTokens('{}[]();')).toBe(7);
    expect(estimateTextTokens('日本語')).toBeGreaterThanOrEqual(3);
    expect(estimateTextTokens('🙂')).toBeGreaterThanOrEqual(2);
  });

  it('counts messages, calls and tools', () => {
    const plain = estimateTokens([{ role: 'user', content: 'go' }]);
    const call = { id: 'a', name: 'bash', arguments: '{"command":"ls"}' };
    expect(estimateTokens([{ role: 'assistant', content: 'go', toolCalls: [call] }])).toBeGreaterThan(plain);
    const tool = { name: 'bash', description: 'run', parameters: {} };
    expect(estimateTokens([{ role: 'user', content: 'go' }], [tool])).toBeGreaterThan(plain);
  });

  it('from below never reaches the one from above', () => {
    for (const text of [
      'a '.repeat(1000),
      '='.repeat(5000),
      'word '.repeat(400),
      ' '.repeat(9000),
      '日本語'.repeat(50),
    ]) {
      const messages = [{ role: 'user' as const, content: text }];
      expect(leastTokens(messages)).toBeLessThan(estimateTokens(messages));
    }
  });

  it('takes a megabyte in its stride', () => {
    expect(estimateTextTokens('x = [1, 2, 3]\n'.repeat(75_000))).toBeGreaterThan(500_000);
  });
});
