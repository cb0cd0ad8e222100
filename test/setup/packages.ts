import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Parallel set-ups and test runs install at once; apt would refuse the second. */
const INSTALL =
  'lock="$1"; shift; install() { apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=600 "$@"; }; ' +
  'exec 9>"$lock"; flock 9; install "$@" 9>&- || { apt-get update -q 9>&-; install "$@" 9>&-; }';
const LOCK = '/run/bench-test-apt.lock';

export function onPath(program: string, path = process.env['PATH'] ?? ''): string | null {
  const directories = [...path.split(':'), '/usr/sbin', '/sbin'];
  return directories.map((directory) => join(directory, program)).find((file) => existsSync(file)) ?? null;
}

/** Why no Debian package can be installed here; null: it can. */
export function noPackages(env: NodeJS.ProcessEnv = process.env): string | null {
  if (process.getuid?.() !== 0) return 'only root can install it';
  return onPath('apt-get', env['PATH']) === null ? 'this is no Debian, to install it from' : null;
}

/** Installed packages stay. */
export async function installPackages(
  packages: readonly string[],
  say: (line: string) => void,
  { env = process.env, lock = LOCK }: { env?: NodeJS.ProcessEnv; lock?: string } = {},
): Promise<void> {
  say(`INSTALLING Debian packages that the tests need, as root: apt-get install ${packages.join(' ')}`);
  const code = await new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', INSTALL, 'sh', lock, ...packages], {
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 2, 2],
    });
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`apt-get could not install ${packages.join(', ')}`);
}
