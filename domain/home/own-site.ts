/** Distinguishes requests of own clients from those of other sites' pages. Imports nothing. */

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];
export const isLoopback = (host: string): boolean => LOOPBACK.includes(host);

/** As in browsers: an IPv6 address in brackets. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export interface OwnSite {
  /** `host:port` in lower case. Other sites' names may resolve here, but clients send the name. */
  hosts: string[];
  /** Origins whose pages may send requests. */
  origins: string[];
}

/** Loopback names are equivalent. `more`: further names, with or without a port. */
export function ownSite(
  { host, port }: { host: string; port: number },
  schemes: readonly string[],
  more: readonly string[] = [],
): OwnSite {
  const own = [host, ...(isLoopback(host) ? LOOPBACK : [])].map((name) => `${bracketed(name)}:${port}`);
  const named = more.flatMap((name) => (/:\d+$/.test(name) ? [name] : [name, `${name}:${port}`]));
  const hosts = [...new Set([...own, ...named].map((name) => name.toLowerCase()))];
  return { hosts, origins: hosts.flatMap((name) => schemes.map((scheme) => `${scheme}://${name}`)) };
}

/** By lower-case name. */
export type HeaderOf = (name: string) => string | undefined;

export const namesOtherHost = (header: HeaderOf, { hosts }: { hosts: readonly string[] }): boolean =>
  !hosts.includes((header('host') ?? '').toLowerCase());

/** A browser sent it for another site's page. Programs send neither header. */
export function comesFromOtherSite(header: HeaderOf, { origins }: { origins: readonly string[] }): boolean {
  const origin = header('origin');
  const site = header('sec-fetch-site');
  return (
    (origin !== undefined && !origins.includes(origin)) ||
    (site !== undefined && site !== 'same-origin' && site !== 'none')
  );
}

export const isJson = (contentType: string | undefined): boolean =>
  /^application\/json\s*(?:;|$)/i.test((contentType ?? '').trim());
