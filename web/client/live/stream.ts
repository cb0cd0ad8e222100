import type { LiveMessage } from '../../api/index.js';
import { addressOf, AskError, PATHS, send } from '../data/ask.js';
import { takeMessages } from './messages.js';

export type LiveState =
  | { state: 'off' }
  | { state: 'connecting'; since: number }
  | { state: 'live' }
  | { state: 'lost'; since: number };

/** Longer than the interval of the server's comments: the connection is lost. */
const SILENCE_MS = 40_000;

/** Resumes from the cursor, with growing pauses, until it is closed. */
export function openStream(
  topics: readonly string[],
  tell: (message: LiveMessage) => void,
  state: (now: LiveState) => void,
): () => void {
  const closing = new AbortController();
  let cursor: string | null = null;
  let lost: number | null = null;
  const run = async (): Promise<void> => {
    let failures = 0;
    while (!closing.signal.aborted) {
      const attempt = new AbortController();
      const stop = (): void => attempt.abort();
      closing.signal.addEventListener('abort', stop);
      let silence = setTimeout(stop, SILENCE_MS);
      try {
        const url = addressOf(PATHS.live, {}, { topic: topics, ...(cursor === null ? {} : { since: cursor }) });
        const response = await send(url, { signal: attempt.signal, headers: { accept: 'text/event-stream' } });
        const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
        let buffer = '';
        // No message covers changes between the page's requests and the first stream.
        const missed = cursor === null && lost !== null;
        lost = null;
        failures = 0;
        state({ state: 'live' });
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          clearTimeout(silence);
          silence = setTimeout(stop, SILENCE_MS);
          const taken = takeMessages(buffer + value);
          buffer = taken.rest;
          for (const { event, data, id } of taken.messages) {
            if (id !== null) cursor = id;
            const message = { event, data: JSON.parse(data) as unknown } as LiveMessage;
            tell(message.event === 'hello' && missed ? { ...message, data: { ...message.data, gap: true } } : message);
          }
        }
      } catch (error) {
        // Do not retry permanent refusals: the page polls.
        if (error instanceof AskError && error.status >= 400 && error.status < 500 && error.status !== 429) {
          state({ state: 'off' });
          return;
        }
      } finally {
        clearTimeout(silence);
        closing.signal.removeEventListener('abort', stop);
      }
      if (closing.signal.aborted) return;
      lost ??= Date.now();
      state({ state: 'lost', since: lost });
      failures++;
      const wait = Math.min(10_000, 250 * 2 ** failures) * (0.75 + Math.random() / 2);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  };
  state({ state: 'connecting', since: Date.now() });
  void run();
  return () => closing.abort();
}
