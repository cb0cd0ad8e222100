import { createServer as createHttp, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openClient } from '../../../backends/artifacts/s3-client.js';
import { httpFetch } from '../../../models/http-fetch.js';
import { NotConnected } from '../../../models/connection.js';
import { providerAccess } from '../../../models/provider-access.js';
import { post } from '../../../operations/notify/post.js';
import { makeCertificate } from '../../../services/make-certificate.js';
import { connectTemporal } from '../../../temporal/connect.js';
import { openUrl } from '../../../transport/open-url.js';
import { useProxies } from '../../../transport/proxies.js';
import { HttpProxy } from '../../fakes/http-proxy.js';

const NAME = 'api.models.example';
const seen: { method: string; url: string; host: string; body: string }[] = [];
let plain: Server;
let secure: Server;
let proxy: HttpProxy;
let address: string;

const listener: RequestListener = (request, response) =>
  void (async () => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, host: headers.host ?? '', body: await text(request) });
    if (url === '/moved') response.writeHead(302, { location: '/v1' }).end();
    else response.end('{"ok":true}');
  })();

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const started = (server: Server): Promise<void> => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

beforeAll(async () => {
  const { key, certificate } = await makeCertificate(NAME);
  plain = createHttp(listener);
  secure = createHttps({ key, cert: certificate }, listener);
  await Promise.all([started(plain), started(secure)]);
});
beforeEach(async () => {
  // The certificate is our own; the name in it is still what the client asks for.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  seen.length = 0;
  proxy = new HttpProxy((host) => portOf(host.endsWith(':443') ? secure : plain));
  address = await proxy.listen();
});
afterEach(() => {
  useProxies({});
  vi.unstubAllEnvs();
  proxy.close();
});
afterAll(() => {
  for (const server of [plain, secure]) {
    server.closeAllConnections();
    server.close();
  }
});

const body = JSON.stringify({ model: 'm' });
const asked = { method: 'POST', body };

describe('with a proxy', () => {
  it('a provider is asked in a tunnel, which the next call uses again', async () => {
    useProxies({ https_proxy: `http://us%40er:pa%3Ass@${address}` });
    const sending = vi.fn(async () => undefined);
    for (let call = 0; call < 2; call += 1) {
      const answer = await httpFetch(`https://${NAME}/v1/chat`, asked, { sending });
      expect(await answer.json()).toEqual({ ok: true });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(proxy.asked).toEqual([`CONNECT ${NAME}:443 us@er:pa:ss`]);
    expect(seen).toEqual(Array(2).fill({ method: 'POST', url: '/v1/chat', host: NAME, body }));
    expect(sending).toHaveBeenCalledTimes(2);
  });

  it('a provider without TLS is asked by its whole address', async () => {
    useProxies({ HTTP_PROXY: address });
    await httpFetch(`http://${NAME}:8000/v1/chat?a=1`, asked);
    expect(proxy.asked).toEqual([`POST http://${NAME}:8000/v1/chat?a=1`]);
    expect(seen).toEqual([{ method: 'POST', url: '/v1/chat?a=1', host: `${NAME}:8000`, body }]);
  });

  it('an endpoint that must be public is checked here, and the proxy gets the checked address', async () => {
    useProxies({ HTTPS_PROXY: address, HTTP_PROXY: address });
    for (const url of ['https://93.184.216.34/v1', 'http://93.184.216.34:8000/v1'])
      await httpFetch(url, asked, { publicOnly: true });
    expect(proxy.asked).toEqual(['CONNECT 93.184.216.34:443', 'CONNECT 93.184.216.34:8000']);
    await expect(httpFetch('https://10.0.0.1/v1', asked, { publicOnly: true })).rejects.toThrow('private address');
    expect(proxy.asked).toHaveLength(2);
  });

  it.each([
    [403, 'PROXY_REFUSED'],
    [407, 'PROXY_NEEDS_LOGIN'],
  ])('that answers %d, nothing was sent: %s', async (status, code) => {
    useProxies({ HTTPS_PROXY: address });
    proxy.status = status;
    const sending = vi.fn(async () => undefined);
    const error: unknown = await httpFetch(`https://${NAME}/v1`, asked, { sending }).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(NotConnected);
    expect(error).toMatchObject({ code });
    expect(sending).not.toHaveBeenCalled();
  });

  it('of another kind, a model is a mistake of the configuration before it is called', () => {
    useProxies({ HTTPS_PROXY: 'socks5://proxy:1080' });
    const config = { provider: 'openai', model: 'm', apiKeyVariable: 'KEY' };
    const model = { name: 'm', kind: 'real', provider: 'openai', model: 'm', config } as never;
    expect(() => providerAccess({ KEY: 'sk-1' }).of(model)).toThrow('HTTPS_PROXY is not the address of an HTTP proxy');
  });

  it('a webhook is posted through it', async () => {
    useProxies({ HTTPS_PROXY: address });
    const notification = { id: 'n1', at: '2026-01-01T00:00:00.000Z', text: 'done' } as never;
    expect(
      await post({ url: `https://${NAME}/hook`, format: 'slack', secret: null } as never, notification),
    ).toBeNull();
    expect(proxy.asked).toEqual([`CONNECT ${NAME}:443`]);
    expect(seen).toMatchObject([{ method: 'POST', url: '/hook' }]);
  });

  it('a download comes through it, and follows redirects', async () => {
    useProxies({ HTTPS_PROXY: address });
    const response: IncomingMessage = await openUrl(`https://${NAME}/moved`);
    expect(await text(response)).toBe('{"ok":true}');
    expect(proxy.asked).toEqual([`CONNECT ${NAME}:443`, `CONNECT ${NAME}:443`]);
    expect(seen.map(({ url }) => url)).toEqual(['/moved', '/v1']);
  });

  it.each(['https', 'http'] as const)('an object store is reached through it by %s', async (scheme) => {
    useProxies({ HTTPS_PROXY: address, HTTP_PROXY: address });
    const location = {
      ...{ kind: 's3', bucket: 'b', prefix: '', endpoint: `${scheme}://${NAME}`, region: 'eu', pathStyle: true },
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    } as never;
    const { s3, client } = await openClient(location, 5000);
    await client.send(new s3.PutObjectCommand({ Bucket: 'b', Key: 'k', Body: 'content' }));
    client.destroy();
    expect(proxy.asked[0]).toMatch(scheme === 'https' ? `CONNECT ${NAME}:443` : `PUT http://${NAME}/b/k`);
    expect(seen).toMatchObject([{ method: 'PUT', host: NAME }]);
  });

  it('loopback is reached without', async () => {
    useProxies({ HTTPS_PROXY: address, HTTP_PROXY: address, http_proxy: address });
    await httpFetch(`http://127.0.0.1:${portOf(plain)}/v1`, asked);
    await openUrl(`http://localhost:${portOf(plain)}/v1`).then(text);
    expect(proxy.asked).toEqual([]);
    expect(seen).toHaveLength(2);
  });

  it('Temporal on loopback is reached without, whatever gRPC reads in the environment', async () => {
    const reached = new Promise<string>((resolve) => {
      const server = createTcp((socket) => {
        socket.destroy();
        server.close();
        resolve('directly');
      });
      server.listen(0, '127.0.0.1', () => {
        vi.stubEnv('https_proxy', `http://${address}`);
        vi.stubEnv('no_proxy', '');
        useProxies(process.env);
        const endpoint = {
          temporalAddress: `127.0.0.1:${(server.address() as AddressInfo).port}`,
          temporalNamespace: 'n',
        };
        void connectTemporal(endpoint, {}).catch(() => undefined);
      });
    });
    const proxied = vi.waitFor(() => expect(proxy.asked).not.toEqual([]), 5000).then(() => 'by the proxy');
    proxied.catch(() => undefined);
    expect(await Promise.race([reached, proxied])).toBe('directly');
  });
});
