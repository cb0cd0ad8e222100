import { closedWindow } from './closed-window.js';
import { lastNObservations } from './last-n-observations.js';
import type { HistoryProcessor } from './prompt-message.js';
import { tokenBudget } from './token-budget.js';

const wholeHistory: HistoryProcessor = {
  show: (messages) => [...messages],
  settle: (messages) => [...messages],
};

export const HISTORY_PROCESSORS = [
  'default',
  'last-n-observations',
  'last-2-observations',
  'last-5-observations',
  'last-100-observations',
  'closed-window',
  'token-budget',
] as const;
export type HistoryProcessorName = (typeof HISTORY_PROCESSORS)[number];

/** Names in MLGym and SWE-agent. */
export const HISTORY_PROCESSOR_ALIASES: Readonly<Record<string, HistoryProcessorName>> = {
  DefaultHistoryProcessor: 'default',
  LastNObservations: 'last-n-observations',
  Last2Observations: 'last-2-observations',
  Last5Observations: 'last-5-observations',
  Last100Observations: 'last-100-observations',
  ClosedWindowHistoryProcessor: 'closed-window',
};

export interface HistoryProcessorArgs {
  n?: number | undefined;
  /** Of `last-n-observations`: how many are omitted at once. */
  block?: number | undefined;
  tokens?: number | undefined;
}

/** Required and only argument. */
export const REQUIRED_ARGUMENT: Partial<Record<HistoryProcessorName, keyof HistoryProcessorArgs>> = {
  'last-n-observations': 'n',
  'token-budget': 'tokens',
};

function positive(name: HistoryProcessorName, args: HistoryProcessorArgs): number {
  const key = REQUIRED_ARGUMENT[name];
  const value = key === undefined ? undefined : args[key];
  if (value === undefined || !(value > 0)) {
    throw new Error(`history processor ${name} needs historyProcessorArgs.${key ?? ''}, a number above 0`);
  }
  return value;
}

export function historyProcessorOf(name: HistoryProcessorName, args: HistoryProcessorArgs): HistoryProcessor {
  switch (name) {
    case 'default':
      return wholeHistory;
    case 'last-n-observations':
      return lastNObservations(positive(name, args), args.block);
    case 'last-2-observations':
      return lastNObservations(2);
    case 'last-5-observations':
      return lastNObservations(5);
    case 'last-100-observations':
      return lastNObservations(100);
    case 'closed-window':
      return closedWindow;
    case 'token-budget':
      return tokenBudget(positive(name, args));
  }
}
