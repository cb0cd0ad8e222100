/** Formats of other tools: Harbor's trajectories, Inspect's logs. */
export const EXCHANGE_FORMATS = ['atif', 'inspect'] as const;
export type ExchangeFormat = (typeof EXCHANGE_FORMATS)[number];

export const isExchange = (format: string): format is ExchangeFormat =>
  (EXCHANGE_FORMATS as readonly string[]).includes(format);
