import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { EnvServer } from './env-server.js';

export interface NemoStep {
  observation: string | null;
  reward: number;
  terminated: boolean;
  truncated: boolean;
  info: Record<string, unknown> & { tool_outputs: { call_id: string; output: string }[] };
}

export interface NemoAnswer<Body> {
  status: number;
  body: Body;
}

const PARAMS = { responses_create_params: { input: [] } };
const message = (said: string) => ({
  ...{ type: 'message', role: 'assistant' },
  content: [{ type: 'output_text', text: said }],
});
/** A tool call in a model's response. */
export const toolCall = (id: string, name: string, given: unknown) => ({
  ...{ type: 'function_call', call_id: id, name },
  arguments: JSON.stringify(given),
});

/** A rollout of NeMo Gym's gymnasium agent: each step sends its row and the last cookies. */
export class NemoClient {
  #cookie: string | null = null;
  #row: Record<string, unknown> = {};

  constructor(private readonly server: EnvServer) {}

  /** Waits for the first byte without limit, like its client; fetch stops after five minutes. */
  async send<Body>(path: string, body: unknown): Promise<NemoAnswer<Body>> {
    const headers = { 'content-type': 'application/json', ...(this.#cookie !== null && { cookie: this.#cookie }) };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${this.server.url}/nemo${path}`, { method: 'POST', headers })
        .once('response', resolve)
        .once('error', reject)
        .end(JSON.stringify(body));
    });
    const [set] = response.headers['set-cookie'] ?? [];
    if (set !== undefined) [this.#cookie = null] = set.split(';');
    return { status: response.statusCode ?? 0, body: JSON.parse(await text(response)) as Body };
  }

  reset(row: Record<string, unknown>): Promise<NemoAnswer<{ observation: string; info: Record<string, unknown> }>> {
    this.#row = row;
    return this.send('/reset', { ...PARAMS, ...row });
  }

  /** A text is a message of the model; else the output as is. */
  step(said: string | unknown[]): Promise<NemoAnswer<NemoStep>> {
    const output = typeof said === 'string' ? [message(said)] : said;
    return this.send('/step', { ...PARAMS, ...this.#row, response: { id: 'r', output } });
  }
}
