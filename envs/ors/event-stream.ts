// Written to Node's own response, not by Hono's helper: an event counts as sent once the system has it, which only a write reports.
import type { ServerResponse } from 'node:http';
import { eventFrame, HEARTBEAT } from './sse.js';

const HEARTBEAT_MS = 10_000;

/** Server-sent events in answer to a request, with heartbeats until it is closed. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #gone = new AbortController();
  readonly #heartbeats: NodeJS.Timeout;

  /** The route then returns RESPONSE_ALREADY_SENT. */
  constructor(response: ServerResponse) {
    this.#response = response;
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache',
      'X-Accel-Buffering': 'no',
    });
    this.#response.flushHeaders();
    this.#response.on('error', () => undefined);
    this.#heartbeats = setInterval(() => this.#response.write(HEARTBEAT), HEARTBEAT_MS);
    this.#response.once('close', () => {
      clearInterval(this.#heartbeats);
      this.#gone.abort();
    });
  }

  /** Aborted when the client is gone, or has read all. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Returns when the system has taken it, which sends it even if this process dies; or when the client is gone. */
  async send(event: string, data: string, id?: string): Promise<void> {
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.signal.addEventListener('abort', () => resolve(), { once: true });
      this.#response.write(eventFrame(event, data, id), () => resolve());
    });
  }

  /** The last event. */
  end(event: string, data: string, id?: string): void {
    clearInterval(this.#heartbeats);
    this.#response.end(eventFrame(event, data, id));
  }

  /** Breaks off: the client asks again. */
  cut(): void {
    this.#response.destroy();
  }
}
