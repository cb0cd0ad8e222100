import type { ToolCall } from '../../model/model.js';
import { estimateTokens } from '../../model/estimate-tokens.js';
import { shortenedReasoning } from '../../model/returned-reasoning.js';
import { clipObservation } from '../../text/format.js';
import { callArguments } from '../parsers/tool-calls.js';
import { type HistoryProcessor, type PromptMessage, withoutOutput } from './prompt-message.js';

/** Never less than the provider's count. */
const tokensOf = (message: PromptMessage): number => estimateTokens([message]);
/** Characters left of a shortened text. */
const LONG = 400;

const shortCall = (call: ToolCall): ToolCall => {
  const given = callArguments(call) ?? {};
  const short = Object.entries(given).map(([name, value]) => [
    name,
    typeof value === 'string' ? clipObservation(value, LONG) : value,
  ]);
  return { ...call, arguments: JSON.stringify(Object.fromEntries(short)) };
};

/** `last`: keeps its signed reasoning, without which providers refuse what follows. */
const shortReply = (message: PromptMessage, last: boolean): PromptMessage => ({
  ...message,
  content: clipObservation(message.content, LONG),
  ...(message.reasoning === undefined || last
    ? {}
    : { reasoning: shortenedReasoning(message.reasoning, (text) => clipObservation(text, LONG)) }),
  ...(message.toolCalls === undefined ? {} : { toolCalls: message.toolCalls.map(shortCall) }),
});

class Budget {
  readonly messages: PromptMessage[];
  readonly #tokens: number;
  #total: number;

  constructor(messages: readonly PromptMessage[], tokens: number) {
    this.messages = [...messages];
    this.#tokens = tokens;
    this.#total = messages.reduce((sum, message) => sum + tokensOf(message), 0);
  }

  get isExceeded(): boolean {
    return this.#total > this.#tokens;
  }

  of(origin: PromptMessage['origin']): number[] {
    return [...this.messages.keys()].filter((index) => this.messages[index]?.origin === origin);
  }

  /** Shortens while the budget is exceeded. */
  shorten(index: number, by: (message: PromptMessage) => PromptMessage): void {
    const message = this.messages[index];
    if (message === undefined || !this.isExceeded) return;
    const shorter = by(message);
    const saved = tokensOf(message) - tokensOf(shorter);
    if (saved <= 0) return;
    this.messages[index] = shorter;
    this.#total -= saved;
  }

  /** The observation that the next prompt omits, if this one omits any. */
  leaving(): number | undefined {
    const observations = this.of('observation');
    if (!observations.some((at) => this.messages[at]?.settled === true)) return undefined;
    return observations.find((at) => this.messages[at]?.settled !== true);
  }

  /** Prompts only grow, so an observation stays omitted. Keeps those shorter than the omission. */
  leaveOutOlderObservations(): void {
    for (const index of this.of('observation').slice(0, -1)) {
      const message = this.messages[index];
      if (message === undefined || message.settled === true) continue;
      if (!this.isExceeded) return;
      this.shorten(index, withoutOutput);
      if (this.messages[index] === message) this.messages[index] = { ...message, settled: true };
    }
  }
}

/**
 * Fits prompts into an estimated number of tokens: omits older observations, then cuts older
 * replies, then the newest exchange. System, task and demonstrations stay, even if too long: then
 * the provider reports it.
 */
export const tokenBudget = (tokens: number): HistoryProcessor => ({
  settle(messages) {
    const budget = new Budget(messages, tokens);
    budget.leaveOutOlderObservations();
    return budget.messages;
  },

  show(messages) {
    const budget = new Budget(messages, tokens);
    budget.leaveOutOlderObservations();
    const replies = budget.of('reply');
    for (const index of replies) budget.shorten(index, (message) => shortReply(message, index === replies.at(-1)));
    for (const index of budget.of('observation').slice(-1)) {
      const { content: whole = '' } = messages[index] ?? {};
      for (let room = whole.length; budget.isExceeded && room > LONG;) {
        room = Math.max(LONG, Math.floor(room * 0.7));
        budget.shorten(index, (message) => ({ ...message, content: clipObservation(whole, room) }));
      }
    }
    const leaving = budget.leaving();
    return budget.messages.map((message, at) => (at === leaving ? { ...message, leaves: true } : message));
  },
});
