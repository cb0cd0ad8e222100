// On Node's response, not Hono's helper: only a write reports that the system has taken an event.
import type { ServerResponse } from 'node:http';
import { eventFrame, HEARTBEAT } from './sse.js';

const HEARTBEAT_MS = 10_000;

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

  /** Aborted when the client has disconnected, or has read all. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Returns when the system, which outlives this process, has taken it; or the client is gone. */
  async send(event: string, data: string, id?: string): Promise<void> {
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.signal.addEventListener('abort', () => resolve(), { once: true });
      this.#response.write(eventFrame(event, data, id), () => resolve());
    });
  }

  end(event: string, data: string, id?: string): void {
    clearInterval(this.#heartbeats);
    this.#response.end(eventFrame(event, data, id));
  }

  /** Breaks the stream, so that the client resumes. */
  cut(): void {
    this.#response.destroy();
  }
}
