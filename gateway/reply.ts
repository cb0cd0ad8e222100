import type { ServerResponse } from 'node:http';
import type { Json } from '../domain/gateway/json.js';
import type { Answer } from '../domain/gateway/refusals.js';
import { sseText } from '../domain/gateway/sse.js';
import type { StreamEvent, Wire } from '../domain/gateway/wire.js';

export class Client {
  private begun = false;
  private lost = false;
  private onLost: (() => void) | undefined;

  constructor(
    private readonly response: ServerResponse,
    private readonly callId: string,
  ) {
    const lose = (): void => {
      if (this.lost || response.writableFinished) return;
      this.lost = true;
      this.onLost?.();
    };
    const { socket } = response.req;
    // The relay closes its side for a lost client, before our writes can fail.
    socket.once('end', lose);
    response.once('close', () => {
      lose();
      socket.off('end', lose);
    });
  }

  /** It disconnected before its last byte. */
  get gone(): boolean {
    return this.lost;
  }

  get hasBegun(): boolean {
    return this.begun;
  }

  onGone(tell: () => void): void {
    if (this.lost) tell();
    else this.onLost = tell;
  }

  event(event: StreamEvent): void {
    if (!this.begun) {
      this.begun = true;
      this.response.writeHead(200, { ...this.head, 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    }
    if (!this.lost) this.response.write(sseText(event));
  }

  async end(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.lost) return resolve();
      this.response.once('close', resolve);
      this.response.end(resolve);
    });
  }

  cut(): void {
    this.response.destroy();
  }

  answer({ status, body, headers = {} }: Answer): void {
    if (this.begun || this.response.headersSent) return this.cut();
    this.response.writeHead(status, { ...this.head, ...headers, 'content-type': 'application/json' });
    this.response.end(JSON.stringify(body));
  }

  /** Streamed if the request asks for it. */
  async whole(wire: Wire, answer: Json, asked: Json): Promise<void> {
    if (asked['stream'] === true) {
      const assembly = wire.assembly(asked);
      for (const event of wire.stream(answer)) if (assembly.add(event)) this.event(event);
    } else if (!this.lost) {
      this.response.writeHead(200, { ...this.head, 'content-type': 'application/json' });
      this.response.write(JSON.stringify(answer));
    }
    await this.end();
  }

  private get head(): Record<string, string> {
    return { 'x-request-id': this.callId, 'request-id': this.callId };
  }
}
