import type { TokenUsage } from '../../../domain/model/model.js';

/** US dollars per million tokens; independent of domain/model/price.ts, which it checks. */
export interface SimulatedPrice {
  input: number;
  cachedInput: number;
  cacheWrite: number;
  output: number;
}

export interface BillEntry {
  key: string;
  callId: string | null;
  model: string;
  usage: Required<TokenUsage>;
  /** Exact decimal. */
  costUsd: string;
  /** The whole answer, with its true token count, reached a caller that was still connected. */
  delivered: boolean;
}

/** Dollars per million, at most four decimals, as 1e-10 dollars per token. */
const perToken = (price: number): bigint => BigInt(Math.round(price * 10_000));

const decimal = (units: bigint): string => {
  const text = units.toString().padStart(11, '0');
  return `${text.slice(0, -10)}.${text.slice(-10)}`.replace(/\.?0+$/, '');
};
const units = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(10, '0'));
};

export class Bill {
  readonly entries: BillEntry[] = [];
  constructor(private readonly priceOf: (model: string) => SimulatedPrice) {}

  add(call: { key: string; callId: string | null; model: string; usage: Required<TokenUsage> }): BillEntry {
    const { inputTokens, cachedTokens, cacheWriteTokens, cacheWriteHourTokens, outputTokens } = call.usage;
    const price = this.priceOf(call.model);
    const cost =
      BigInt(inputTokens - cachedTokens - cacheWriteTokens) * perToken(price.input) +
      BigInt(cachedTokens) * perToken(price.cachedInput) +
      BigInt(cacheWriteTokens - cacheWriteHourTokens) * perToken(price.cacheWrite) +
      2n * BigInt(cacheWriteHourTokens) * perToken(price.input) +
      BigInt(outputTokens) * perToken(price.output);
    const entry: BillEntry = { ...call, costUsd: decimal(cost), delivered: false };
    this.entries.push(entry);
    return entry;
  }

  /** Sum of the calls that pass; all without a filter. */
  total(passes: (entry: BillEntry) => boolean = () => true): string {
    return decimal(this.entries.filter(passes).reduce((sum, entry) => sum + units(entry.costUsd), 0n));
  }
}
