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

export interface OrsAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** An ORS session, like the Python client: requests broken streams again by `task_id`. */
export class OrsClient {
  sid = '';

  constructor(
    private readonly server: EnvServer,
    private readonly prefix = '',
  ) {}

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<OrsAnswer> {
    const response = await this.request(method, path, body, headers);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Retries refused connections and a starting server, like the Python client. */
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

  /** A retry begins the same session's episode; another session would leak the first one's. */
  async open(task: Record<string, unknown>): Promise<OrsAnswer> {
    if (this.sid === '') {
      const created = await this.send('POST', '/create_session', {});
      // A starting server has given no id.
      if (created.status !== 200) return created;
      this.sid = events(created.text).find(({ event }) => event === 'task_id')?.data ?? '';
    }
    return this.send('POST', '/create', task);
  }

  /** Calls a tool until its result, across broken streams; returns all events and the breaks. */
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
        // No listener, or it died before its answer.
        if (!(error instanceof TypeError)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

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

/** Strips each value's beginning, like the Python client. */
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
