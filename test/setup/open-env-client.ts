import { WebSocket } from 'ws';

export interface Reply {
  type: string;
  data: Record<string, unknown> & {
    observation: Record<string, unknown> & { message: string };
    reward: number | null;
    done: boolean;
    metadata: Record<string, unknown>;
    code?: string;
  };
}

/** OpenEnv's socket, used like its Python clients: one frame, one reply. */
export class OpenEnvClient {
  readonly #replies: Reply[] = [];
  readonly #waiting: ((reply: Reply | null) => void)[] = [];
  /** Code that the server closed it with. */
  readonly closed: Promise<number>;

  private constructor(readonly socket: WebSocket) {
    this.closed = new Promise((resolve) => {
      socket.on('close', (code) => {
        for (const waiting of this.#waiting.splice(0)) waiting(null);
        resolve(code);
      });
    });
    socket.on('error', () => undefined);
    socket.on('message', (raw: Buffer) => {
      const reply = JSON.parse(raw.toString()) as Reply;
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#replies.push(reply);
      else waiting(reply);
    });
  }

  static connect(url: string, headers: Record<string, string> = {}): Promise<OpenEnvClient> {
    return OpenEnvClient.at(`${url}/ws`, headers);
  }

  /** `url`: whole, of a server's WebSocket. */
  static async at(url: string, headers: Record<string, string> = {}): Promise<OpenEnvClient> {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
    const client = new OpenEnvClient(socket);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return client;
  }

  next(): Promise<Reply | null> {
    const reply = this.#replies.shift();
    if (reply !== undefined) return Promise.resolve(reply);
    if (this.socket.readyState >= WebSocket.CLOSING) return Promise.resolve(null);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  async ask(frame: unknown): Promise<Reply> {
    this.send(frame);
    const reply = await this.next();
    if (reply === null) throw new Error('the socket was closed before the reply');
    return reply;
  }

  reset = (data: Record<string, unknown> = {}): Promise<Reply> =>
    this.ask({ type: 'reset', data: { task: 'battleOfSexes', ...data } });

  step = (data: unknown): Promise<Reply> =>
    this.ask({ type: 'step', data: typeof data === 'string' ? { command: data } : data });

  /** Like a dying client: without a closing handshake. */
  cut(): void {
    this.socket.terminate();
  }
}
