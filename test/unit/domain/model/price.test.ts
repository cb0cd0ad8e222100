import { describe, expect, it } from 'vitest';
import type { ModelPrice } from '../../../../domain/model/config.js';
import {
  addUsd,
  cacheSavedUsd,
  compareUsd,
  costUsd,
  highestCostUsd,
  priceAt,
  subtractUsd,
  usdText,
  usdUnits,
} from '../../../../domain/model/price.js';

const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
const price: ModelPrice = { from: '2025-01-01', input: '2.5', cachedInput: '1.25', cacheWrite: '3', output: '10' };

describe('money', () => {
  it('is exact where floats are not', () => {
    expect(addUsd('0.1', '0.2')).toBe('0.3');
    expect(addUsd(...Array.from({ length: 10_000 }, () => '0.0000000001'))).toBe('0.000001');
    expect(subtractUsd('1', '0.0000000001')).toBe('0.9999999999');
    expect(subtractUsd('0.5', '2')).toBe('-1.5');
    expect(usdText(usdUnits('123456789.0123456789'))).toBe('123456789.0123456789');
  });

  it('compares as amounts, not as texts', () => {
    expect(compareUsd('10', '9.5')).toBe(1);
    expect(compareUsd('0.50', '0.5')).toBe(0);
    expect(compareUsd('-1', '0')).toBe(-1);
  });

  it.each(['', '1e-7', '.5', '1.', 'NaN', '0.00000000001', '1,5'])('refuses %j', (text) => {
    expect(() => usdUnits(text)).toThrow('not an amount of money');
  });
});

describe('the cost of a call', () => {
  it('prices each token once: plain, cached, written to the cache, generated', () => {
    const cost = costUsd(price, {
      inputTokens: 1_000_000,
      cachedTokens: 400_000,
      cacheWriteTokens: 100_000,
      outputTokens: 200_000,
      reasoningTokens: 150_000,
    });
    expect(cost).toBe('4.05'); // 0.5 × 2.5 + 0.4 × 1.25 + 0.1 × 3 + 0.2 × 10
  });

  it('is less by what was read from the cache, more by what was written to it', () => {
    const read = { ...usage, inputTokens: 1_000_000, cachedTokens: 400_000 };
    expect(cacheSavedUsd(price, read)).toBe('0.5');
    expect(cacheSavedUsd(price, { ...read, cachedTokens: 0, cacheWriteTokens: 400_000 })).toBe('-0.2');
    expect(cacheSavedUsd({ from: '2025-01-01', input: '2.5', output: '10' }, read)).toBe('0');
    // Totals of a run are no long prompt.
    const longPrompt = { ...price, aboveTokens: 1000, input: '5' };
    expect(cacheSavedUsd({ ...price, longPrompt }, read)).toBe('0.5');
  });

  it('prices reasoning apart only where it has a price', () => {
    const reasoned = { ...usage, outputTokens: 100, reasoningTokens: 60 };
    expect(costUsd({ ...price, reasoning: '20' }, reasoned)).toBe('0.0016');
    expect(costUsd(price, reasoned)).toBe('0.001');
  });

  it('prices the cache as plain input where it has no price', () => {
    const cached = { ...usage, inputTokens: 10, cachedTokens: 4, cacheWriteTokens: 6 };
    expect(costUsd({ from: '2025-01-01', input: '2.5', output: '10' }, cached)).toBe('0.000025');
  });

  it('prices writes for an hour at twice the input, or at their own price', () => {
    const written = { ...usage, inputTokens: 10, cachedTokens: 0, cacheWriteTokens: 10, cacheWriteHourTokens: 4 };
    expect(costUsd(price, written)).toBe('0.000038');
    expect(costUsd({ ...price, cacheWriteHour: '4' }, written)).toBe('0.000034');
    const most = { inputTokens: 10, outputTokens: 0 };
    expect([highestCostUsd(price, most), highestCostUsd(price, { ...most, hour: true })]).toEqual([
      '0.00003',
      '0.00005',
    ]);
  });

  it('is exact for one token of the cheapest price that a file can say', () => {
    expect(costUsd({ ...price, input: '0.0001' }, { ...usage, inputTokens: 1 })).toBe('0.0000000001');
  });

  it('takes the rates of long prompts for the whole call once the prompt is longer', () => {
    const tiered: ModelPrice = { ...price, longPrompt: { aboveTokens: 100, input: '5', output: '20' } };
    expect(costUsd(tiered, { ...usage, inputTokens: 100, outputTokens: 1 })).toBe('0.00026');
    expect(costUsd(tiered, { ...usage, inputTokens: 101, outputTokens: 1 })).toBe('0.000525');
  });

  it('is zero without a price', () => {
    expect(costUsd(null, { ...usage, inputTokens: 5 })).toBe('0');
  });

  it('is never above what was reserved', () => {
    const most = { inputTokens: 1000, outputTokens: 500 };
    const dear: ModelPrice = { ...price, reasoning: '30' };
    expect(highestCostUsd(dear, most)).toBe('0.018');
    expect(
      compareUsd(costUsd(dear, { ...usage, ...most, cacheWriteTokens: 1000, reasoningTokens: 500 }), '0.018'),
    ).toBe(0);
  });
});

describe('the price in force', () => {
  const prices = [price, { ...price, from: '2026-07-01', input: '2' }];
  it.each([
    ['2026-06-30T23:59:59Z', '2.5'],
    ['2026-07-01T00:00:00Z', '2'],
    ['2030-01-01T00:00:00Z', '2'],
    ['2020-01-01T00:00:00Z', '2.5'],
  ])('at %s is %s', (at, input) => {
    expect(priceAt(prices, new Date(at))?.input).toBe(input);
  });

  it('is none for a model without prices', () => {
    expect(priceAt([], new Date())).toBeNull();
  });
});
