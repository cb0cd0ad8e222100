import type { EnvServer } from './env-server.js';

export interface OrsResult {
  ok: boolean;
  error?: string;
  reason?: string;
  output: {
    blocks: { type: string; text: string; detail: null }[];
    metadata: Record<string, unknown>;
    reward: number | null;
    finished: boolean;
  };
}

export interface OrsEvent {
  event: string;
  data: string;
}

/** Whatever is asked of a session, a stream of events or not. */
export interface OrsAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** A session of ORS as its Python client plays it: streams that break are asked for again by their `task_id`. */
export class OrsClient {
  sid = '';

  constructor(
    private readonly server: EnvServer,
    private readonly prefix = '',
  ) {}

  /** One request, as it is. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<OrsAnswer> {
    const response = await this.request(method, path, body, headers);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Until it is answered, as the Python client asks whatever is no call: refused connections and a starting server are waited for. */
  async retried(ask: () => Promise<OrsAnswer>): Promise<OrsAnswer> {
    for (;;) {
      const answer = await ask().catch((error: unknown) => {
        if (!(error instanceof TypeError)) throw error;
        return null;
      });
      if (answer !== null && answer.headers.get('x-backend-state') !== 'starting') return answer;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  /** Asked again, it begins the same session's episode, as that client does: another session would leave the first one's behind. */
  async open(task: Record<string, unknown>): Promise<OrsAnswer> {
    if (this.sid === '') {
      const created = await this.send('POST', '/create_session', {});
      // A server that starts has given no id.
      if (created.status !== 200) return created;
      this.sid = events(created.text).find(({ event }) => event === 'task_id')?.data ?? '';
    }
    return this.send('POST', '/create', task);
  }

  /** Calls a tool, until its result is there. Returns it with all events that were read, and how often the stream broke. */
  async call(name: string, input: unknown = {}): Promise<{ result: OrsResult; read: OrsEvent[]; broken: number }> {
    const read: OrsEvent[] = [];
    let taskId: string | null = null;
    for (let broken = 0; ; broken++) {
      try {
        const asked = { name, input, ...(taskId !== null && { task_id: taskId }) };
        const response = await this.request('POST', `${this.prefix}/call`, asked);
        if (response.headers.get('x-backend-state') === 'starting') throw new TypeError('starting');
        if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
        let chunks = '';
        for await (const one of stream(response)) {
          read.push(one);
          if (one.event === 'task_id') taskId = one.data;
          if (one.event === 'chunk') chunks += one.data;
          if (one.event === 'error') throw new Error(`error event: ${one.data}`);
          if (one.event === 'end') return { result: JSON.parse(chunks + one.data) as OrsResult, read, broken };
        }
      } catch (error) {
        // Nobody listens, or whoever did died before the answer.
        if (!(error instanceof TypeError)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  /** What a command printed. */
  async printed(command: string): Promise<string> {
    const { result } = await this.call('run', { command });
    return result.output.blocks[0]!.text.trim();
  }

  private request(method: string, path: string, body: unknown, headers: Record<string, string> = {}) {
    return fetch(`${this.server.url}${path}`, {
      method,
      headers: {
        ...(this.sid !== '' && { 'x-session-id': this.sid }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }
}

async function* stream(response: Response): AsyncGenerator<OrsEvent> {
  let text = '';
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield* events(text.slice(0, end + 2));
      text = text.slice(end + 2);
    }
  }
}

/** Every value is stripped at its beginning, as the Python client does it. */
export function events(text: string): OrsEvent[] {
  return text
    .split('\n\n')
    .map((frame) => frame.split('\n').filter((line) => line !== '' && !line.startsWith(':')))
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const values = (field: string): string[] =>
        lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).trimStart());
      return { event: values('event').join(''), data: values('data').join('\n') };
    });
}
