import { describe, expect, it } from 'vitest';
import { proxiesFrom } from '../../../transport/proxies.js';

const proxyOf = (env: Record<string, string>, url: string): string | null =>
  proxiesFrom(env).of(new URL(url))?.href ?? null;

describe('the proxy of an address', () => {
  it.each([
    ['HTTPS_PROXY', 'https://api.example/v1', 'http://proxy:3128/'],
    ['https_proxy', 'https://api.example/v1', 'http://proxy:3128/'],
    ['HTTP_PROXY', 'http://api.example/v1', 'http://proxy:3128/'],
    ['http_proxy', 'http://api.example/v1', 'http://proxy:3128/'],
    ['HTTP_PROXY', 'https://api.example/v1', null],
    ['HTTPS_PROXY', 'http://api.example/v1', null],
  ])('with %s, of %s, is %s', (name, url, proxy) => {
    expect(proxyOf({ [name]: 'http://proxy:3128' }, url)).toBe(proxy);
    expect(proxyOf({ [name]: 'proxy:3128' }, url)).toBe(proxy);
    expect(proxyOf({ [name]: '' }, url)).toBeNull();
  });

  it('is by the lower-case variable if both are set', () => {
    expect(proxyOf({ HTTPS_PROXY: 'http://upper', https_proxy: 'http://lower' }, 'https://a.example')).toBe(
      'http://lower/',
    );
  });

  it.each([
    'http://127.0.0.1:8080',
    'https://127.8.9.1',
    'http://localhost:1',
    'http://a.localhost',
    'http://[::1]:80',
    'http://0.0.0.0',
  ])('is none for loopback: %s', (url) => {
    expect(proxyOf({ HTTP_PROXY: 'http://proxy', HTTPS_PROXY: 'http://proxy' }, url)).toBeNull();
  });

  it.each([
    ['*', 'https://a.example', true],
    ['a.example', 'https://a.example', true],
    ['A.Example', 'https://b.a.EXAMPLE', true],
    ['.a.example', 'https://a.example', true],
    ['*.a.example', 'https://b.a.example', true],
    ['a.example', 'https://ba.example', false],
    ['x, a.example', 'https://a.example', true],
    ['x a.example', 'https://a.example', true],
    ['a.example:443', 'https://a.example', true],
    ['a.example:8443', 'https://a.example', false],
    ['10.0.0.0/8', 'https://10.1.2.3:7233', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['[fd00::1]:443', 'https://[fd00::1]', true],
    ['fd00::/8', 'https://[fd00::1]', true],
    ['10.0.0.0/99, fd00::1', 'https://10.1.2.3', false],
  ])('with NO_PROXY=%s, of %s: exempt %s', (list, url, exempt) => {
    for (const name of ['NO_PROXY', 'no_proxy'])
      expect(proxyOf({ HTTPS_PROXY: 'http://proxy', [name]: list }, url) === null).toBe(exempt);
  });

  it.each(['socks5://user:hunter2@proxy:1080', 'http://', '::'])(
    'that is no HTTP proxy is refused by name: %s',
    (value) => {
      const of = (): unknown => proxyOf({ https_proxy: value }, 'https://a.example');
      expect(of).toThrow(/^https_proxy is not the address of an HTTP proxy$/);
      expect(proxyOf({ https_proxy: value }, 'https://127.0.0.1')).toBeNull();
    },
  );
});
