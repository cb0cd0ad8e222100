import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ensureImage, type BuiltImage } from '../../backends/docker/images.js';
import { createDockerSandbox } from '../../backends/docker/sandbox.js';
import { recordNetworkRequests } from '../../activities/network-events.js';
import { homeLayout } from '../../domain/home/layout.js';
import type { SandboxRef } from '../../domain/ports/sandbox-port.js';
import type { TaskNetwork } from '../../domain/task/network.js';
import { REPOSITORY } from './evaluation-job.js';
import { LONG } from '../setup/long.js';

const docker = new Docker();
const homeTag = `testnet${process.pid}`;
let home: string;
let image: BuiltImage;
/** What the internet is here: a server of this process, on the engine's bridge. */
let internet: Server;
let port: number;
let gateway: string;
let commands = 0;

/** The least of the protocol, without sessions. */
async function answerMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, method, params } = (await json(request)) as {
    id?: number;
    method: string;
    params?: { arguments?: unknown };
  };
  const content = [{ type: 'text', text: `${method} ${JSON.stringify(params?.arguments)}` }];
  if (id === undefined) return void response.writeHead(202).end();
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content } }));
}

const sandbox = () =>
  createDockerSandbox({
    docker,
    image: async () => image,
    layout: homeLayout(home),
    homeTag,
    extraHosts: ['allowed.test', 'other.test', 'deep.suffix.test', 'suffix.test']
      .map((name) => `${name}:${gateway}`)
      .concat('meta.test:169.254.169.254', 'self.test:127.0.0.1'),
  });

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'bench-test-network-'));
  await mkdir(join(home, 'starter'));
  await writeFile(join(home, 'starter', 'a'), '');
  image = await ensureImage(docker, 'agent', { assetsRoot: REPOSITORY });
  const bridge = (await docker.getNetwork('bridge').inspect()) as { IPAM: { Config: { Gateway?: string }[] } };
  gateway = bridge.IPAM.Config[0]?.Gateway ?? '172.17.0.1';
  internet = createServer((request, response) => {
    if (request.url === '/mcp') return void answerMcp(request, response);
    response.end(`hello ${request.headers.host} ${request.url}`);
  });
  await new Promise<void>((resolve) => internet.listen(0, '0.0.0.0', resolve));
  port = (internet.address() as AddressInfo).port;
});
afterAll(async () => {
  internet.close();
  for (const ref of await sandbox().list()) await sandbox().stop(ref);
  await rm(home, { recursive: true, force: true });
});

async function start(runId: string, network: TaskNetwork): Promise<SandboxRef> {
  const ref = { runId, epoch: 1 };
  const limits = { memoryMb: 512, cpus: 1, pids: 128 };
  await sandbox().start({ ...ref, starterDir: join(home, 'starter'), limits, network, gpuDevices: [] });
  return ref;
}

async function shell(ref: SandboxRef, script: string): Promise<string> {
  const command = { n: ++commands, script, timeLimitSeconds: 60 };
  return (await sandbox().run(ref, command, new AbortController().signal)).output;
}

const python = (ref: SandboxRef, code: string) => shell(ref, `python3 - <<'END'\n${code}\nEND`);

/** What the agent sees of an address, the way that its libraries ask. */
const get = (ref: SandboxRef, url: string) =>
  python(
    ref,
    `import urllib.request, urllib.error
try:
    print(urllib.request.urlopen("${url}", timeout=20).read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
except OSError as error:
    print("failed:", error)`,
  );

const CONNECT = `
import http.client
connection = http.client.HTTPConnection("127.0.0.1", 3128, timeout=20)
`;
const connect = (ref: SandboxRef, host: string, to = port) =>
  python(
    ref,
    `${CONNECT}connection.set_tunnel("${host}", ${to})
try:
    connection.request("GET", "/tunnelled")
    print(connection.getresponse().read().decode())
except OSError as error:
    print("failed:", error)`,
  );

const allowing = (...allow: string[]): TaskNetwork => ({ allow, allowPrivate: true });

it('allowed hosts are reached, plainly and through CONNECT; others are refused with the reason', async () => {
  const ref = await start('net-allowed', allowing(`allowed.test:${port}`, `*.suffix.test:${port}`));
  expect(await get(ref, `http://allowed.test:${port}/x?y=1`)).toContain(`hello allowed.test:${port} /x?y=1`);
  expect(await connect(ref, 'allowed.test')).toContain('/tunnelled');
  expect(await get(ref, `http://deep.suffix.test:${port}/`)).toContain('hello deep.suffix.test');
  expect(await get(ref, `http://suffix.test:${port}/`)).toMatch(/^403 .*does not allow suffix\.test/);
  expect(await get(ref, `http://other.test:${port}/`)).toMatch(/^403 .*does not allow other\.test/);
  expect(await connect(ref, 'other.test')).toMatch(/failed: Tunnel connection failed: 403/);
  expect(await connect(ref, 'allowed.test', 22)).toMatch(/failed: Tunnel connection failed: 403/);
  expect(await get(ref, `http://${gateway}:${port}/`)).toMatch(/^403 .*addresses are refused/);
});

it('an MCP server over HTTP is called where its host is allowed', async () => {
  const ref = await start('net-mcp', allowing(`allowed.test:${port}`));
  const call = (host: string) => {
    const servers = JSON.stringify({ papers: { url: `http://${host}:${port}/mcp` } });
    return shell(ref, `AGENT_MCP_SERVERS='${servers}' mcp_call papers find <<< '{"text": "sat"}'`);
  };
  expect(await call('allowed.test')).toBe('tools/call {"text":"sat"}\n');
  expect(await call('other.test')).toMatch(/MCP server papers answers 403: .*does not allow other\.test/);
});

it('a Host header cannot name another host than the one that was allowed', async () => {
  const ref = await start('net-host', allowing(`allowed.test:${port}`));
  const seen = await python(
    ref,
    `${CONNECT}connection.request("GET", "http://allowed.test:${port}/", headers={"Host": "other.test"})
print(connection.getresponse().read().decode())`,
  );
  expect(seen).toContain(`hello allowed.test:${port}`);
});

it('names of private, link-local and own addresses are refused, whatever the list says', async () => {
  const allow = [`allowed.test:${port}`, 'meta.test', 'self.test', '*.suffix.test'];
  const strict = await start('net-private', { allow, allowPrivate: false });
  expect(await get(strict, `http://allowed.test:${port}/`)).toMatch(/^403 .*private address/);
  const wide = await start('net-meta', { allow, allowPrivate: true });
  expect(await get(wide, 'http://meta.test/latest/meta-data/')).toMatch(/^403 .*metadata service/);
  expect(await get(wide, 'http://169.254.169.254/latest/')).toMatch(/^403 .*addresses are refused/);
  expect(await get(wide, 'http://0xa9fea9fe/latest/')).toMatch(/^403 .*addresses are refused/);
  expect(await get(wide, 'http://self.test/')).toMatch(/^403 .*proxy itself/);
});

it('there is no other way out: no interface, no DNS, no TCP, no UDP, no way to other runs', async () => {
  const ref = await start('net-closed', allowing(`allowed.test:${port}`));
  const other = await start('net-other', 'open');
  const { NetworkSettings: at } = await docker.getContainer(`bench-${homeTag}-${other.runId}-1`).inspect();
  const neighbour = at.Networks['bridge']?.IPAddress ?? '';
  expect(neighbour).not.toBe('');
  const seen = await python(
    ref,
    `import os, socket
print("interfaces", sorted(os.listdir("/sys/class/net")))
def attempt(what, work):
    try:
        work()
        print(what, "WORKED")
    except OSError as error:
        print(what, "failed")
attempt("dns", lambda: socket.getaddrinfo("allowed.test", 80))
attempt("tcp", lambda: socket.create_connection(("${gateway}", ${port}), 5))
attempt("neighbour", lambda: socket.create_connection(("${neighbour}", 80), 5))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("${gateway}", 53)))
attempt("proxy's socket", lambda: socket.socket(socket.AF_UNIX).connect("/run/bench/network/proxy.sock"))
attempt("relay's end", lambda: [os.kill(int(p), 9) for p in os.listdir("/proc") if p.isdigit() and b"relay.py" in open("/proc/" + p + "/cmdline", "rb").read()])`,
  );
  expect(seen).not.toContain('WORKED');
  expect(seen.match(/failed/g)).toHaveLength(6);
  expect(seen).toContain("interfaces ['lo']");
});

it('each request is an event, once, however often it is collected and by whom', async () => {
  const ref = await start('net-events', allowing(`allowed.test:${port}`));
  await get(ref, `http://allowed.test:${port}/`);
  await get(ref, 'http://forbidden.test/');
  const events = new Map<string, string>();
  const store = {
    addEvent: async (event: { kind: string; key: string; detail: string }) => {
      if (!events.has(event.key)) events.set(event.key, `${event.kind} ${event.detail}`);
    },
  };
  // The proxy may note a request when its answer has been read already.
  await vi.waitFor(
    async () => {
      await recordNetworkRequests(store, sandbox(), ref, { close: false });
      expect(events.size).toBe(2);
    },
    { timeout: 60_000, interval: 20 },
  );
  await recordNetworkRequests(store, sandbox(), ref, { close: false });
  expect([...events.values()]).toEqual([
    expect.stringMatching(
      new RegExp(`^network_request GET allowed\\.test:${port} allowed: \\d+ bytes up, \\d+ bytes down, \\d+ ms$`),
    ),
    expect.stringMatching(/^network_request GET forbidden\.test:80 refused: .*does not allow forbidden\.test:80/),
  ]);
  await recordNetworkRequests(store, sandbox(), ref, { close: true });
  // Another worker, which knows of nothing.
  for (const { n } of await sandbox().networkRequests(ref, { close: true }))
    expect(events.has(`network-1-${n}`)).toBe(true);
  expect(events.size).toBe(2);
});

it.runIf(LONG)('a loop of requests is counted, not listed', async () => {
  const ref = await start('net-loop', allowing('allowed.test:80'));
  await python(
    ref,
    `${CONNECT}
for _ in range(450):
    connection = http.client.HTTPConnection("127.0.0.1", 3128, timeout=20)
    connection.request("GET", "http://x.test/")
    connection.getresponse().read()
    connection.close()`,
  );
  const reports = await sandbox().networkRequests(ref, { close: true });
  const sums = reports.slice(200).map(({ detail }) => Number(/^and (\d+) more: 0 allowed/.exec(detail)?.[1]));
  expect(reports.slice(0, 200).every(({ detail }) => detail.startsWith('GET x.test:80 refused'))).toBe(true);
  expect(sums.length).toBeLessThan(5);
  expect(sums.reduce((sum, count) => sum + count, 0)).toBe(250);
});

// Without it, sandboxes that were started once have theirs above.
it.runIf(LONG)('a restarted sandbox has its way out again, and stop leaves neither proxy nor volume', async () => {
  const ref = await start('net-again', allowing(`allowed.test:${port}`));
  const names = [`bench-${homeTag}-${ref.runId}-1`, `bench-${homeTag}-${ref.runId}-1-net`];
  for (const name of names) await docker.getContainer(name).kill();
  expect(await get(ref, `http://allowed.test:${port}/`)).toContain('hello allowed.test');
  await docker.getContainer(names[0] ?? '').remove({ force: true });
  expect(await sandbox().list()).toContainEqual(ref);
  await sandbox().stop(ref);
  const left = await docker.listContainers({ all: true, filters: { label: [`bench.run=${ref.runId}`] } });
  expect(left).toEqual([]);
  await expect(docker.getVolume(names[1] ?? '').inspect()).rejects.toMatchObject({ statusCode: 404 });
  expect(await sandbox().networkRequests(ref, { close: true })).toEqual([]);
});
