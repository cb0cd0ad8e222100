import type { EnvServer } from './env-server.js';
import { events } from './ors-client.js';

export interface McpResponse {
  jsonrpc: '2.0';
  id: number | null;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

export class McpClient {
  session = '';
  #id = 0;

  constructor(
    private readonly server: EnvServer,
    /** On every request: the harness's configuration. */
    private readonly headers: Record<string, string> = {},
    private readonly path = '/v1/mcp',
  ) {}

  send(method: string, body?: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.server.url}${this.path}`, {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(this.session !== '' && { 'mcp-session-id': this.session }),
        ...this.headers,
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  }

  async hello(): Promise<McpResponse> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const response = await this.post('initialize', params);
    this.session = response.headers.get('mcp-session-id') ?? '';
    const answer = (await response.json()) as McpResponse;
    await this.send('POST', JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    return answer;
  }

  post(method: string, params: unknown): Promise<Response> {
    return this.send('POST', JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params }));
  }

  /** Resumes a broken stream from the last event read, like the Python client. */
  async ask(method: string, params: unknown = {}): Promise<McpResponse> {
    let response = await this.post(method, params);
    for (let last: string | null = null; ;) {
      if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
        return (await response.json()) as McpResponse;
      const read = await untilBroken(response);
      const [answer] = events(read.text).filter(({ data }) => data !== '');
      if (answer !== undefined) return JSON.parse(answer.data) as McpResponse;
      last = /^id: (\S+)$/m.exec(read.text)?.[1] ?? last;
      if (last === null) throw new Error('a stream ended without an answer', { cause: read.error });
      response = await this.send('GET', undefined, { 'last-event-id': last });
    }
  }

  async call(
    name: string,
    input: unknown = {},
  ): Promise<{ text: string; isError: boolean; bench: Record<string, unknown> }> {
    const { result, error } = await this.ask('tools/call', { name, arguments: input });
    if (result === undefined) throw new Error(JSON.stringify(error));
    const { content, isError, _meta } = result as {
      content: { text: string }[];
      isError: boolean;
      _meta: { bench: Record<string, unknown> };
    };
    return { text: content.map(({ text }) => text).join(''), isError, bench: _meta.bench };
  }
}

async function untilBroken(response: Response): Promise<{ text: string; error: unknown }> {
  let text = '';
  try {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) text += part;
  } catch (error) {
    return { text, error };
  }
  return { text, error: null };
}
