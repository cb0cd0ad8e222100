import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentCommands, compileTools } from './agent-commands.js';

compileTools();

interface Message {
  id?: number;
  method: string;
  params?: { name?: string; arguments?: unknown; protocolVersion?: string };
}

/** A server of the protocol whose sessions end when it is asked, answering by JSON or events. */
class HttpServer {
  readonly asked: string[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  sessions: string[] = [];
  events = false;
  forgetful = false;
  answer: ((response: ServerResponse) => void) | null = null;
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response));
  #begun = 0;

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id, method, params } = (await json(request)) as Message;
    this.asked.push(method);
    this.headers.push(request.headers);
    if (method === 'initialize') {
      const session = `session-${(this.#begun += 1)}`;
      this.sessions.push(session);
      return this.#send(
        response,
        id,
        { protocolVersion: '2025-03-26', capabilities: {} },
        { 'mcp-session-id': session },
      );
    }
    if (this.forgetful) this.sessions = [];
    if (!this.sessions.includes(String(request.headers['mcp-session-id']))) return void response.writeHead(404).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (this.answer !== null) return this.answer(response);
    if (method === 'tools/list') return this.#send(response, id, { tools: [{ name: 'find', inputSchema: {} }] });
    this.#send(response, id, { content: [{ type: 'text', text: JSON.stringify(params?.arguments) }] });
  }

  #send(response: ServerResponse, id: number | undefined, result: unknown, headers = {}): void {
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result });
    if (!this.events)
      return void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(answer);
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    response.write(': a comment\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n');
    response.end(`id: 1\ndata: ${answer}\n\n`);
  }
}

let agent: AgentCommands;
let server: HttpServer;
let url: string;
beforeEach(async () => {
  agent = new AgentCommands();
  server = new HttpServer();
  url = await server.start();
});
afterEach(() => {
  server.stop();
  agent.remove();
});
const call = (given: unknown) =>
  agent.shell(`mcp_call papers find <<'X'\n${JSON.stringify(given)}\nX`, {
    AGENT_MCP_SERVERS: JSON.stringify({ papers: { url } }),
  });

it.each([false, true])('tools are listed and called in one session, by events: %s', async (events) => {
  server.events = events;
  const listed = await agent.output('mcp_tools', { AGENT_MCP_SERVERS: JSON.stringify({ papers: { url } }) });
  expect(JSON.parse(listed)).toEqual([{ server: 'papers', name: 'find', inputSchema: {} }]);
  expect(await call({ words: "it's\n$HOME" })).toEqual({ output: '{"words":"it\'s\\n$HOME"}', exitCode: 0 });
  expect(await call({})).toEqual({ output: '{}', exitCode: 0 });
  expect(server.asked).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'tools/call', 'tools/call']);
  expect(server.headers.at(-1)).toMatchObject({ 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-03-26' });
});

it('a session that the server has forgotten is begun again, and the call made once', async () => {
  await call({});
  server.sessions = [];
  expect(await call({ again: true })).toEqual({ output: '{"again":true}', exitCode: 0 });
  expect(server.asked.filter((method) => method === 'initialize')).toHaveLength(2);
});

it('a server that forgets each session at once is said to', async () => {
  server.forgetful = true;
  expect(await call({})).toEqual({ output: 'Error: MCP server papers forgets each session at once.', exitCode: 1 });
});

it.each([
  [
    'answers an error',
    (response: ServerResponse) => void response.writeHead(503).end('no room'),
    /papers answers 503: no room/,
  ],
  [
    'sends elsewhere',
    (response: ServerResponse) => void response.writeHead(302, { location: '/x' }).end(),
    /papers answers 302/,
  ],
  ['breaks off', (response: ServerResponse) => void response.destroy(), /ended its answer early.*effects are unknown/],
  [
    'answers in another form',
    (response: ServerResponse) => void response.writeHead(200).end('{"jsonrpc":"2.0","id":2,"error":"no"}'),
    /effects are unknown/,
  ],
  ['answers nothing', (response: ServerResponse) => void response.writeHead(200).end('{}'), /effects are unknown/],
  [
    'answers an error of the protocol',
    (response: ServerResponse) =>
      void response.writeHead(200).end('{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no paper"}}'),
    /^Error: no paper$/,
  ],
])('a server that %s is said to, with exit code 1', async (_what, answer, says) => {
  await call({});
  server.answer = answer;
  expect(await call({})).toEqual({ output: expect.stringMatching(says) as string, exitCode: 1 });
});

it('a server that is not there is said to, with the reason', async () => {
  server.stop();
  const { output, exitCode } = await call({});
  expect([exitCode, output]).toEqual([1, expect.stringMatching(/MCP server papers is not reached: .*refused/)]);
});
