/** Which requests to a server come from its own clients, and which from a page of another site. Imports nothing. */

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];
export const isLoopback = (host: string): boolean => LOOPBACK.includes(host);

/** As browsers write it: an IPv6 address in brackets. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export interface OwnSite {
  /** `host:port`, as clients send it in lower case. A page can have its own name resolve to this address, and sends that name. */
  hosts: string[];
  /** Origins whose pages may send requests. */
  origins: string[];
}

/** The names of a server that listens at `host`: all of loopback stand for one of them. `more`: further names, with a port or without. */
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

/** A header by its name in lower case. */
export type HeaderOf = (name: string) => string | undefined;

/** The client reached the server by a name that is not its own. */
export const namesOtherHost = (header: HeaderOf, { hosts }: { hosts: readonly string[] }): boolean =>
  !hosts.includes((header('host') ?? '').toLowerCase());

/** A browser sent it for a page of another site. Programs send neither header. */
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
