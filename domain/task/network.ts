import { z } from 'zod';

/** Where the agent's container may connect to. Evaluators never have a network. */
export const networkSchema = z
  .union(
    [
      z.literal('none'),
      z.literal('open'),
      z.strictObject({
        /** `host`, `*.suffix`, either with `:port`; without: 80 and 443. See parseAllowedHost. */
        allow: z.array(z.string().min(1)).min(1, 'name at least one host'),
        /** Named hosts may have private addresses (a local mirror). */
        allowPrivate: z.boolean().default(false),
      }),
    ],
    { error: 'expected none, open, or allow: with a list of hosts' },
  )
  .default('none');
export type TaskNetwork = z.infer<typeof networkSchema>;

/** As the proxy reads it. */
export interface AllowedHost {
  /** Lower case, without `*.`; or the original IP address. */
  host: string;
  /** True: subdomains of `host`, not `host` itself. */
  below: boolean;
  ports: number[];
}

const WEB_PORTS = [80, 443];
const NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/;

/** Whether the agent's container may connect there. */
export function allowsHost(network: TaskNetwork, { host, port }: { host: string; port: number }): boolean {
  if (typeof network === 'string') return network === 'open';
  return network.allow.some((entry) => {
    const allowed = parseAllowedHost(entry);
    if (typeof allowed === 'string' || !allowed.ports.includes(port)) return false;
    return allowed.below ? host.endsWith(`.${allowed.host}`) : host === allowed.host;
  });
}

/** A text result is the problem. */
export function parseAllowedHost(entry: string): AllowedHost | string {
  const match = /^(\*\.)?([^:/*\s]+)(?::(\d+))?$/.exec(entry.toLowerCase());
  if (match === null) return 'write host, *.suffix, host:port or *.suffix:port, without a scheme or a path';
  const [, wildcard, host = '', port] = match;
  const below = wildcard !== undefined;
  const isAddress = IPV4.test(host);
  if (isAddress && below) return '*. goes before names only';
  if (!isAddress && !NAME.test(host)) return `${JSON.stringify(host)} is not a host name`;
  if (below && !host.includes('.')) return `*.${host} would allow a whole top-level domain`;
  const ports = port === undefined ? WEB_PORTS : [Number(port)];
  if (ports.some((number) => number < 1 || number > 65_535)) return `${port} is not a port (1 to 65535)`;
  return { host, below, ports };
}
