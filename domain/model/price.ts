import type { TokenUsage } from './model.js';
import type { ModelConfig, ModelPrice } from './config.js';

/**
 * Exact money: decimal strings outside, units of 1e-10 US dollars (numeric(20,10)) inside. A price
 * of four decimals per million tokens is whole units per token, so nothing is rounded.
 */
const DECIMALS = 10;

/** `"0.0000375"` → units. Throws unless it is a plain decimal of at most ten places. */
export function usdUnits(text: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,10}))?$/.exec(text);
  if (match === null) throw new Error(`not an amount of money with at most ${DECIMALS} decimals: ${text.slice(0, 40)}`);
  const units = BigInt((match[2] ?? '') + (match[3] ?? '').padEnd(DECIMALS, '0'));
  return match[1] === '-' ? -units : units;
}

/** Units → the shortest decimal string: `"0"`, `"1.5"`. */
export function usdText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Of an amount below a million, rounded to what the ledger stores. */
export const usdOf = (dollars: number): string => usdText(usdUnits(dollars.toFixed(DECIMALS)));

export const addUsd = (...amounts: string[]): string => usdText(amounts.reduce((sum, one) => sum + usdUnits(one), 0n));
export const subtractUsd = (a: string, b: string): string => usdText(usdUnits(a) - usdUnits(b));
export function compareUsd(a: string, b: string): number {
  const [left, right] = [usdUnits(a), usdUnits(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The price at that time (UTC days); before the first price, the first. Null: no price. */
export function priceAt(prices: readonly ModelPrice[], at: Date): ModelPrice | null {
  const day = at.toISOString().slice(0, 10);
  return prices.findLast((price) => price.from <= day) ?? prices[0] ?? null;
}

export const isFree = (prices: readonly Pick<ModelPrice, 'input' | 'output'>[]): boolean =>
  prices.every(({ input, output }) => Number(input) === 0 && Number(output) === 0);

const DAY_MS = 86_400_000;
/** Providers change their lists a few times a year. */
export const PRICES_CURRENT_DAYS = 90;

/** Why a model's prices may not be today's; null: they are. */
export function priceProblem({ prices, pricesChecked }: Pick<ModelConfig, 'prices' | 'pricesChecked'>, now: Date) {
  const [first] = prices;
  if (first === undefined) return 'missing';
  if (first.from > now.toISOString().slice(0, 10)) return 'not_begun';
  if (isFree(prices)) return null;
  if (pricesChecked === undefined) return 'unchecked';
  return now.getTime() - Date.parse(pricesChecked) > PRICES_CURRENT_DAYS * DAY_MS ? 'old' : null;
}

/** Null: no list price. Undefined: the tier has no price. */
export function tierPrice(list: ModelPrice | null, tier: string | null): ModelPrice | null | undefined {
  if (list === null || tier === null) return list;
  const { from, tiers = {} } = list;
  return Object.hasOwn(tiers, tier) ? { from, ...tiers[tier]! } : undefined;
}

/** Dollars per million tokens → units per token. */
const perToken = (dollarsPerMillion: string): bigint => usdUnits(dollarsPerMillion) / 1_000_000n;

/** Null, an unpriced model, costs "0". */
export function costUsd(price: ModelPrice | null, usage: TokenUsage): string {
  if (price === null) return '0';
  const long = price.longPrompt !== undefined && usage.inputTokens > price.longPrompt.aboveTokens;
  const rates = long ? price.longPrompt! : price;
  const cacheWrite = usage.cacheWriteTokens ?? 0;
  const forAnHour = usage.cacheWriteHourTokens ?? 0;
  const of = (tokens: number, rate: string): bigint => BigInt(tokens) * perToken(rate);
  return usdText(
    of(usage.inputTokens - usage.cachedTokens - cacheWrite, rates.input) +
      of(usage.cachedTokens, rates.cachedInput ?? rates.input) +
      of(cacheWrite - forAnHour, rates.cacheWrite ?? rates.input) +
      (rates.cacheWriteHour === undefined ? 2n * of(forAnHour, rates.input) : of(forAnHour, rates.cacheWriteHour)) +
      of(usage.outputTokens - usage.reasoningTokens, rates.output) +
      of(usage.reasoningTokens, rates.reasoning ?? rates.output),
  );
}

/**
 * What a cache of the provider saved a run, US dollars; negative: writes cost more than that.
 * By the run's totals, hence without the dearer rates of long prompts and tiers.
 */
export function cacheSavedUsd(price: ModelPrice, usage: TokenUsage): string {
  const list = { ...price, longPrompt: undefined };
  const uncached = { ...usage, cachedTokens: 0, cacheWriteTokens: 0, cacheWriteHourTokens: 0 };
  return subtractUsd(costUsd(list, uncached), costUsd(list, usage));
}

/** Upper bound of a call's cost, to reserve before it. `hour`: its cache may last an hour. */
export function highestCostUsd(
  price: ModelPrice | null,
  most: { inputTokens: number; outputTokens: number; hour?: boolean },
): string {
  const { inputTokens, outputTokens, hour = false } = most;
  const none = { inputTokens, outputTokens, cachedTokens: 0 };
  const writes = [
    { cacheWriteTokens: 0 },
    { cacheWriteTokens: inputTokens },
    ...(hour ? [{ cacheWriteTokens: inputTokens, cacheWriteHourTokens: inputTokens }] : []),
  ];
  const ways = [0, outputTokens].flatMap((reasoningTokens) =>
    writes.map((written) => ({ ...none, ...written, reasoningTokens })),
  );
  // The provider decides which tier a call gets.
  const prices = [price, ...Object.keys(price?.tiers ?? {}).map((tier) => tierPrice(price, tier) ?? price)];
  return prices
    .flatMap((one) => ways.map((usage) => costUsd(one, usage)))
    .reduce((a, b) => (compareUsd(a, b) < 0 ? b : a));
}
