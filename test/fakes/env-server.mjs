// A server behind the front, which does what its requests say. It counts what reached it in a file that outlives it: `<state>.json`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const [, , state, mode, socket] = process.argv;
const starts = existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')) : { starts: 0, requests: 0 };
const note = (change) => writeFileSync(state, JSON.stringify(Object.assign(starts, change)));
note({ starts: starts.starts + 1 });
if (mode === 'usage' || (mode === 'usage later' && starts.starts === 2)) {
  process.stderr.write('error: no such task\n');
  process.exit(2);
}
process.stdin.resume().once('end', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
const die = () => process.kill(process.pid, 'SIGKILL');

const server = createServer(async (request, response) => {
  note({ requests: starts.requests + 1, names: [...(starts.names ?? []), request.headers['x-bench-request']] });
  if (request.url === '/early') return response.writeHead(401).end();
  let body = '';
  for await (const chunk of request) body += chunk;
  const { pathname } = new URL(request.url, 'http://server');
  // The first server dies of it, before it answers.
  if (pathname.startsWith('/fatal') && starts.starts === 1) return die();
  if (pathname === '/stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: first\n\n');
    if (request.headers['x-die']) return void setTimeout(die, 200);
    return void setTimeout(() => response.end('event: end\n\n'), 1000);
  }
  if (pathname === '/large') return response.end(String(body.length));
  response.setHeader('x-server', 'yes');
  response.end(
    JSON.stringify({ url: request.url, method: request.method, headers: request.headers, body, pid: process.pid }),
  );
});
const sockets = new WebSocketServer({ noServer: true });
server.on('upgrade', (request, raw, head) => {
  if (request.url === '/refused')
    return raw.end('HTTP/1.1 401 Unauthorized\r\nX-Why: token\r\nContent-Length: 2\r\n\r\nno');
  sockets.handleUpgrade(request, raw, head, (client) => {
    let hangs = false;
    client.on('message', (data) => {
      const text = data.toString();
      hangs ||= text === 'hang';
      if (hangs) return;
      if (text === 'die' && starts.starts === 1) return die();
      if (text === 'die idle') return void client.send('soon', () => setTimeout(die, 100));
      if (text === 'bye') return client.close(4001, 'over');
      if (text === 'restart' && starts.starts === 1) return client.close(1012);
      const { 'x-bench-connection': id, 'x-bench-received': received } = request.headers;
      const answer = { said: text, id, received: received ?? null, pid: process.pid };
      client.send(JSON.stringify({ data: { ...answer, metadata: { action_seq: 7 } } }));
    });
  });
});
const delay = mode === 'slow' && starts.starts > 1 ? 1500 : 0;
setTimeout(() => server.listen(socket, () => process.stdout.write(`${JSON.stringify({ name: 'fake' })}\n`)), delay);
