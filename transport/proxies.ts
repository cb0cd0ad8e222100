import { BlockList, isIP } from 'node:net';
import { BenchError } from '../domain/errors.js';

type Env = Readonly<Record<string, string | undefined>>;
interface Proxies {
  /** Null: none. */
  of(url: URL): URL | null;
  /** A loopback address, or one of `NO_PROXY`. */
  isDirect(url: URL): boolean;
}

/**
 * The proxy of an address by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, lower case first, as curl
 * reads them. A loopback address never has one.
 */
export function proxiesFrom(env: Env): Proxies {
  const read = (name: string): { name: string; value: string } => {
    const lower = (env[name.toLowerCase()] ?? '').trim();
    return lower === '' ? { name, value: (env[name] ?? '').trim() } : { name: name.toLowerCase(), value: lower };
  };
  const proxies: Record<string, { name: string; value: string }> = {
    'https:': read('HTTPS_PROXY'),
    'http:': read('HTTP_PROXY'),
  };
  const isExcepted = exceptionsFrom(read('NO_PROXY').value);
  const isDirect = (url: URL): boolean => isLoopback(hostOf(url)) || isExcepted(hostOf(url), portOf(url));
  return {
    isDirect,
    of(url) {
      const set = proxies[url.protocol];
      return set === undefined || set.value === '' || isDirect(url) ? null : addressOf(set);
    },
  };
}

/** Without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').toLowerCase();
export const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : +port);

function addressOf({ name, value }: { name: string; value: string }): URL {
  const text = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && ['http:', 'https:'].includes(url.protocol) && url.hostname !== '') return url;
  // Not quoted: it may contain a password.
  throw new BenchError('usage', `${name} is not the address of an HTTP proxy`, {
    code: 'setting.invalid',
    remedy: `Set it as http://host:port, or name what needs no proxy in NO_PROXY.`,
  });
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('0.0.0.0', 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addAddress('::', 'ipv6');

const isIn = (list: BlockList, host: string): boolean => {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 4 ? 'ipv4' : 'ipv6');
};

const isLoopback = (host: string): boolean => /(^|\.)localhost\.?$/.test(host.toLowerCase()) || isIn(loopback, host);

/** Of `NO_PROXY`: `*`, hosts and their subdomains, `host:port`, addresses, and their ranges. */
function exceptionsFrom(text: string): (host: string, port: number) => boolean {
  const entries = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');
  if (entries.includes('*')) return () => true;
  const addresses = new BlockList();
  const names: { host: string; port: number | null }[] = [];
  for (const entry of entries) {
    const [, range = '', bits = ''] = /^([\d.]+|[\da-f:]+)\/(\d{1,3})$/.exec(entry) ?? [];
    const family = isIP(range);
    if (family !== 0 && Number(bits) <= (family === 4 ? 32 : 128)) {
      addresses.addSubnet(range, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
      continue;
    }
    const [, bracketed, plain = entry, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
    names.push({ host: (bracketed ?? plain).replace(/^\*?\./, ''), port: port === undefined ? null : Number(port) });
  }
  return (host, port) =>
    isIn(addresses, host) ||
    names.some(
      (name) => (name.port === null || name.port === port) && (host === name.host || host.endsWith(`.${name.host}`)),
    );
}

let current = proxiesFrom({});

/** Called by a process at its start, so that all connections to other machines use the proxies. */
export function useProxies(env: Env): void {
  current = proxiesFrom(env);
}

export const proxyFor = (url: URL): URL | null => current.of(url);

/**
 * gRPC reads the lower-case variables itself, and sends even loopback through them. `address`:
 * host:port.
 */
export function channelOptions(address: string, embedded = false): { channelArgs?: Record<string, number> } {
  const url = `https://${address}`;
  const direct = embedded || (URL.canParse(url) && current.isDirect(new URL(url)));
  return direct ? { channelArgs: { 'grpc.enable_http_proxy': 0 } } : {};
}
