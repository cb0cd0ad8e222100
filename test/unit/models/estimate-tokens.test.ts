import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTextTokens, estimateTokens, exceedsWindow } from '../../../domain/model/estimate-tokens.js';

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

  it('exceeds no window that it fits in', () => {
    for (const text of [
      'a '.repeat(1000),
      '='.repeat(5000),
      'word '.repeat(400),
      ' '.repeat(9000),
      '日本語'.repeat(50),
    ]) {
      const messages = [{ role: 'user' as const, content: text }];
      expect(exceedsWindow(messages, [], estimateTokens(messages))).toBe(false);
    }
  });

  it('exceeds a window for certain only by text that is no run of one character', () => {
    const prompt = (content: string) => [{ role: 'user' as const, content }];
    expect(exceedsWindow(prompt('abc def '.repeat(101)), [], 100)).toBe(true);
    expect(exceedsWindow(prompt('abc def '.repeat(100)), [], 100)).toBe(false);
    expect(exceedsWindow(prompt('='.repeat(10_000)), [], 100)).toBe(false);
  });

  it('is that of a pattern which names the pieces', () => {
    const pieces = /[A-Z]?[a-z]+|[A-Z]+|[0-9]|[ \t]+|\n|[!-/:-@[-`{-~]|[^]/gu;
    const ofPiece = (piece: string): number => {
      const code = piece.codePointAt(0) ?? 0;
      if (piece === ' ') return 0;
      if (code > 0x7f) return code > 0xffff ? 4 : 2;
      if (/[a-z]/.test(piece)) return Math.ceil(piece.length / 3);
      if (/[A-Z]/.test(piece)) return Math.ceil(piece.length / 2);
      return /[ \t]/.test(piece) ? Math.ceil(piece.length / 4) : 1;
    };
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom('A', 'B', 'c', 'd', ' ', '\t', '\n', '7', '_', '\ud800', '\udc00', 'é', '🙂'))
        .map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, (one) => {
        const expected = [...one.matchAll(pieces)].reduce((sum, [piece]) => sum + ofPiece(piece), 0);
        expect(estimateTextTokens(one)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes a megabyte in its stride', () => {
    expect(estimateTextTokens('x = [1, 2, 3]\n'.repeat(75_000))).toBeGreaterThan(500_000);
  });
});
