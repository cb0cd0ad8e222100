import type { lookup } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ModelRef } from '../../../domain/model/model.js';
import { inlineModel, rolloutModelSchema } from '../../../domain/requests/rollout.js';
import { httpFetch } from '../../../models/http-fetch.js';
import { createOpenAiModel } from '../../../models/openai.js';
import { providerAccess } from '../../../models/provider-access.js';
import { isPublic, PrivateAddress, publicLookup } from '../../../models/public-address.js';

let server: Server;
let port = 0;
let connections = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/moved') return response.writeHead(302, { location: '/elsewhere' }).end();
    return response.end(request.url);
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.close());
beforeEach(() => (connections = 0));

describe('an address', () => {
  test.each([
    ...['127.0.0.1', '127.255.255.255', '0.0.0.0', '10.1.2.3', '100.64.0.1', '100.100.100.200', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.168.1.1', '192.0.0.192', '198.18.0.1', '168.63.129.16', '224.0.0.1'],
    ...[
      '255.255.255.255',
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '64:ff9b::7f00:1',
      'fe80::1',
      'fe80::1%lo',
    ],
    ...['fc00::1', 'fd00:ec2::254', 'ff02::1', '2001:db8::1', '2002:7f00:1::', '2001::1', 'no address'],
  ])('%s is not of the public internet', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  test.each(['8.8.8.8', '1.1.1.1', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
    '%s is',
    (address) => {
      expect(isPublic(address)).toBe(true);
    },
  );
});

describe('a request that may go to the public internet alone', () => {
  test.each([
    ...['127.0.0.1', '0177.0.0.1', '2130706433', '0x7f.1', '127.1', '0', '[::1]', '[::ffff:127.0.0.1]', '[::]'],
    ...['localhost', 'LOCALHOST'],
  ])('does not connect to http://%s', async (host) => {
    const asked = httpFetch(`http://${host}:${port}/x`, { method: 'POST', body: '{}' }, { publicOnly: true });
    await expect(asked).rejects.toBeInstanceOf(PrivateAddress);
    expect(connections).toBe(0);
  });

  test('reaches the same server where that is allowed, and follows no redirect', async () => {
    expect(await (await httpFetch(`http://localhost:${port}/x`)).text()).toBe('/x');
    connections = 0;
    expect((await httpFetch(`http://127.0.0.1:${port}/moved`)).status).toBe(302);
    expect(connections).toBe(1);
  });

  const resolving = (...answers: string[][]): { look: LookupFunction; asked: () => number } => {
    let asked = 0;
    const resolver = ((_name: string, _options: object, done: (error: null, found: object[]) => void) => {
      const found = answers[Math.min(asked++, answers.length - 1)] ?? [];
      done(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    }) as unknown as typeof lookup;
    return { look: publicLookup(resolver), asked: () => asked };
  };
  const outcome = (look: LookupFunction, all: boolean): Promise<unknown> =>
    new Promise((resolve) => look('rebound.example', { all }, (error, found) => resolve(error ?? found)));

  test.each([true, false])('connects to the very addresses that were checked (all: %s)', async (all) => {
    // The second answer is that of a name which is rebound.
    const { look, asked } = resolving(['8.8.8.8'], ['127.0.0.1']);
    expect(await outcome(look, all)).toEqual(all ? [{ address: '8.8.8.8', family: 4 }] : '8.8.8.8');
    expect(asked()).toBe(1);
    expect(await outcome(look, all)).toBeInstanceOf(PrivateAddress);
  });

  test('does not connect to a name with one private address among others, or with none', async () => {
    for (const found of [['8.8.8.8', '10.0.0.1'], ['2606:4700::1111', '::1'], []])
      expect(await outcome(resolving(found).look, true)).toBeInstanceOf(PrivateAddress);
  });
});

describe('a rollout', () => {
  const modelOf = (asked: Record<string, unknown>): ModelRef => {
    const config = inlineModel(rolloutModelSchema.parse({ model: 'm', ...asked }));
    return {
      name: 'm',
      kind: 'real',
      provider: config.provider,
      model: 'm',
      config,
      rollout: { capture: 'text', sealed: null },
    };
  };
  const env = {
    BENCH_ROLLOUT_API_KEY: 'sk-secret',
    BENCH_ROLLOUT_BASE_URL: 'https://policy.example/v1, http://10.0.0.5:8000/v1/',
    BENCH_ROLLOUT_LAB_API_KEY: 'sk-lab',
    BENCH_ROLLOUT_LAB_BASE_URL: 'https://lab.example/v1',
  };
  const reached = (base_url: string, api_key = '$BENCH_ROLLOUT_API_KEY') =>
    providerAccess(env).of(modelOf({ base_url, api_key }));

  test.each(['https://policy.example/v1', 'https://policy.example/v1/deep', 'http://10.0.0.5:8000/v1'])(
    'at %s gets the key that is bound to it',
    (url) => {
      expect(reached(url)).toMatchObject({ apiKey: 'sk-secret', publicOnly: false });
    },
  );

  test.each([
    ...['https://hostile.example/v1', 'http://policy.example/v1', 'https://policy.example:444/v1'],
    ...['https://policy.example/v10', 'https://policy.example/v1/../v2', 'https://policy.example.hostile.example/v1'],
    ...['https://lab.example/v1', 'http://10.0.0.5:8001/v1'],
  ])('at %s does not get it', (url) => {
    expect(() => reached(url)).toThrow('BENCH_ROLLOUT_API_KEY is not sent to this address');
  });

  test('gets another key at another address, and a private address only where one is configured', () => {
    expect(reached('https://lab.example/v1', '$BENCH_ROLLOUT_LAB_API_KEY').apiKey).toBe('sk-lab');
    expect(reached('https://hostile.example/v1', '').publicOnly).toBe(true);
    expect(reached('http://10.0.0.5:8000/v1', '').publicOnly).toBe(false);
  });

  test('at a private address is never retried, and nothing was sent', async () => {
    const model = modelOf({ base_url: `http://localhost:${port}/v1` });
    const { config, apiKey, publicOnly } = providerAccess({}).of(model);
    const request = { model, messages: [{ role: 'user' as const, content: 'x' }], sampling: {}, seed: 1 };
    const asked = createOpenAiModel({ config, apiKey, publicOnly }).complete(request, new AbortController().signal);
    await expect(asked).rejects.toMatchObject({
      kind: 'private_address',
      consequence: 'config_error',
      retryable: false,
    });
    expect(connections).toBe(0);
  });

  test.each([
    'Host',
    'content-length',
    'Transfer-Encoding',
    'connection',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'Keep-Alive',
  ])('may not set the header %s', (name) => {
    const read = rolloutModelSchema.safeParse({ base_url: 'https://h/v1', model: 'm', headers: { [name]: 'x' } });
    expect(read.error?.issues[0]?.path).toContain('headers');
  });
});
