import { BenchError } from '../../../domain/errors.js';
import type { SearchMessage } from '../../../domain/views/search.js';
import { asBenchError } from '../../../operations/as-bench-error.js';
import { type SearchPorts, searchSteps } from '../../../operations/pages/search.js';
import type { searchRoutes } from '../../api/search.js';
import { type Handlers, Raw } from '../call.js';

const AT_ONCE = 2;

const written = ({ event, data }: SearchMessage): Uint8Array =>
  new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

/** Continues as fast as its client reads, and ends when the client leaves. */
export function searchHandlers(ports: SearchPorts): Handlers<typeof searchRoutes> {
  let running = 0;
  return {
    search: async ({ query, signal }) => {
      if (running >= AT_ONCE)
        throw new BenchError('usage', `${AT_ONCE} searches are already running`, {
          code: 'requests.too_many',
          remedy: 'Wait for one of them, or cancel it.',
        });
      running++;
      const leaving = new AbortController();
      const leave = (): void => leaving.abort();
      signal.addEventListener('abort', leave);
      let over = false;
      const end = (): void => {
        if (over) return;
        over = true;
        running--;
        leave();
        signal.removeEventListener('abort', leave);
      };
      const messages = searchSteps(ports, query, leaving.signal);
      let first: IteratorResult<SearchMessage, void>;
      try {
        // Find request errors before the response begins.
        first = await messages.next();
      } catch (error) {
        end();
        throw error;
      }
      let next: IteratorResult<SearchMessage, void> | null = first;
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          try {
            const { done, value } = next ?? (await messages.next());
            next = null;
            if (done === true) {
              end();
              controller.close();
            } else controller.enqueue(written(value));
          } catch (error) {
            const { message, remedy } = asBenchError(error);
            const gone = leaving.signal.aborted;
            end();
            if (!gone) controller.enqueue(written({ event: 'failed', data: { message, remedy: remedy ?? null } }));
            controller.close();
          }
        },
        cancel: end,
      });
      return new Raw(200, body, {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'private, no-store',
        'X-Accel-Buffering': 'no',
      });
    },
  };
}
