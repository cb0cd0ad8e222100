import { spawnSync } from 'node:child_process';

/** Where the embedded server's ports lie. */
export type TemporalRoom =
  | {
      /** A network namespace whose ports no other process can reach; a relay admits clients with the home's key. */
      kind: 'own';
      /** Goes before the relay; replaces itself by it, so that its process id is the relay's. */
      outer: readonly string[];
      /** Goes before the server: it ends with the relay, however that ends. */
      inner: readonly string[];
    }
  /** The machine's loopback, which other users can reach. */
  | { kind: 'shared'; reason: string };

/** A new network has a loopback device that is down; the server's parts speak with each other through it. */
const RAISE_LOOPBACK = ['sh', '-c', 'ip link set lo up && exec "$0" "$@"'];
const END_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--'];

/** Where systems keep their own programs, whatever PATH says. */
const PROGRAMS = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

/** Probes what the kernel, or a container around us, allows. Takes milliseconds. */
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
