import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer as it goes over the wire. */
export interface ScriptedAnswer {
  /** Default 200. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** JSON, or text as it is. */
  body?: unknown;
  /** Server-sent events, in place of a body; a string is sent as data. */
  events?: readonly Readonly<{ event?: string; data: unknown }>[];
}

export interface ScriptedProvider {
  readonly url: string;
  readonly requests: number;
  /** Answers that the next requests get; the last one is repeated. */
  answer(...answers: ScriptedAnswer[]): void;
  close(): Promise<void>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A server over real HTTP that answers each POST by its script, on whichever path. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  let script: ScriptedAnswer[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      requests += 1;
      const { status = 200, headers = {}, body, events } = (script.length > 1 ? script.shift() : script[0]) ?? {};
      if (events === undefined) {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(textOf(body ?? ''));
        return;
      }
      response.writeHead(status, { 'content-type': 'text/event-stream', ...headers });
      for (const { event, data } of events)
        response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${textOf(data)}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    answer(...answers) {
      script = answers;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
