import type { ChatMessage } from '../../domain/model/model.js';

/** What to show of a question's messages: all at first; on coming back the beginning and the latest; else what is new. */
export type Shown = 'all' | 'returning' | 'new';

export interface MessagesToShow {
  messages: readonly ChatMessage[];
  /** Messages that were left out before the last group. */
  omitted: number;
}

/** The person's own replies are the assistant's messages: what came after the last one is new. */
export function messagesToShow(messages: readonly ChatMessage[], shown: Shown): MessagesToShow {
  const after = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const fresh = messages.slice(after);
  if (shown === 'all' || after === 0) return { messages, omitted: 0 };
  if (shown === 'new') return { messages: fresh, omitted: 0 };
  const first = messages.findIndex(({ role }) => role === 'assistant');
  return { messages: [...messages.slice(0, first), ...fresh], omitted: after - first };
}
