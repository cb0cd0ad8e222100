import { spawnSync } from 'node:child_process';

export type TemporalRoom =
  | {
      /** A network namespace; a relay admits clients with the home's key. */
      kind: 'own';
      /** Prefix that execs the relay, which so has the process id. */
      outer: readonly string[];
      /** Prefix of the server, which ends with the relay. */
      inner: readonly string[];
    }
  /** Loopback, which other users of the machine can reach. */
  | { kind: 'shared'; reason: string };

/** A new network's loopback is down, and the server's parts need it. */
const RAISE_LOOPBACK = ['sh', '-c', 'ip link set lo up && exec "$0" "$@"'];
const END_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--'];

/** System programs, whatever PATH says. */
const PROGRAMS = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

/** Probes what the kernel or our container allows, in milliseconds. */
export function chooseTemporalRoom(): TemporalRoom {
  if (process.platform !== 'linux') return { kind: 'shared', reason: 'only Linux has network namespaces' };
  const own = ['unshare', '--net', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']), '--'];
  const outer = [...own, ...RAISE_LOOPBACK];
  const [command = '', ...args] = [...outer, ...END_WITH_PARENT, 'true'];
  const tried = spawnSync(command, args, { env: PROGRAMS, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (tried.status === 0) return { kind: 'own', outer, inner: END_WITH_PARENT };
  const said = tried.error?.message ?? tried.stderr.trim().split('\n').at(-1) ?? '';
  return { kind: 'shared', reason: `network namespaces are not allowed here: ${said}` };
}
