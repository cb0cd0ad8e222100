import { execa } from 'execa';

/** Path of a command's folder inside the namespaces. */
export const INSIDE = '/mnt';

/** With process, mount and (empty) network namespaces; null: this host forbids them. */
export async function namespacePrefix(): Promise<string[] | null> {
  if (process.platform !== 'linux') return null;
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const prefix = ['unshare', ...asRoot, '--mount', '--pid', '--net', '--ipc', '--fork', '--kill-child', '--mount-proc'];
  const probe = await execa(
    prefix[0] ?? '',
    [...prefix.slice(1), 'sh', '-c', `mount -t tmpfs tmpfs ${INSIDE} && setpriv --no-new-privs true`],
    {
      reject: false,
      stdin: 'ignore',
    },
  );
  return probe.exitCode === 0 ? prefix : null;
}

/**
 * `sh -c` script: mounts $1 at INSIDE, with `output` of $2 MB in memory (0: none), makes
 * world-writable folders small and empty, and hides the other folders up to `--`.
 */
export const FURNISH = `set -e
mount --bind "$1" ${INSIDE}
[ "$2" = 0 ] || mount -t tmpfs -o "size=$2m,nr_inodes=10000,mode=1777,nosuid,nodev" tmpfs ${INSIDE}/output
shift 2
for dir in /tmp /var/tmp /dev/shm; do
  [ ! -d "$dir" ] || mount -t tmpfs -o size=64m,mode=1777,nosuid,nodev tmpfs "$dir"
done
while [ "$1" != -- ]; do
  [ ! -d "$1" ] || mount -t tmpfs -o size=1m,mode=755,nosuid,nodev tmpfs "$1"
  shift
done
shift
exec setpriv --no-new-privs "$@"`;
