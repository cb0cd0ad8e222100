import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { builtEntry } from './built-entry.js';
import { rotateLog } from './log-file.js';
import { identify, type ProcessIdentity } from './process-identity.js';
import type { SupervisorOptions } from './supervisor-options.js';

/** The supervisor's message to a guardian it made, before it ends on purpose. */
const ENDS_ON_PURPOSE = 'over';

/**
 * A shell that restarts a killed supervisor, which in turn replaces a killed shell. Options, which
 * have keys, stay in its memory. With `adopt` the supervisor already runs, and its end closes our
 * stdin.
 */
export const GUARDIAN = `
IFS= read -r options
again=
delay=1
if [ "$4" = adopt ]; then
  [ "$(cat)" = ${ENDS_ON_PURPOSE} ] && exit 0
  again=--again
  echo "guardian $$: the supervisor was killed or has crashed; starting it again in $delay s"
  sleep $delay
fi
while [ -d "$3" ]; do
  began=$(date +%s)
  printf '%s' "$options" | "$1" "$2" --guardian $$ $again
  code=$?
  [ $code -eq 0 ] && exit 0
  lived=$(($(date +%s) - began))
  # Not killed, but failed by itself at once: so would the next one.
  [ -z "$again" ] && [ $code -lt 128 ] && [ $lived -lt 10 ] && exit 1
  [ $lived -ge 60 ] && delay=1
  echo "guardian $$: the supervisor was killed or has crashed; starting it again in $delay s"
  sleep $delay
  again=--again
  [ $delay -lt 4 ] && delay=$((delay * 2))
done
`;

export const supervisorEntry = (): string => builtEntry('supervisor-main');

/** Outlives this process. If the home has a supervisor, the new one ends at once. */
export function startSupervisor(options: GivenOptions, logFile: string): { guardian: ProcessIdentity | null } {
  rotateLog(logFile);
  const { pid, stdin } = startGuardian(supervisorEntry(), options, logFile, 'start');
  stdin.end();
  return { guardian: pid === undefined ? null : identify(pid) };
}

export function adoptGuardian(
  entry: string,
  options: GivenOptions,
  logFile: string,
): { pid: number | undefined; dismiss: () => Promise<void> } {
  const child = startGuardian(entry, options, logFile, 'adopt');
  return { pid: child.pid, dismiss: () => new Promise((resolve) => child.stdin.end(ENDS_ON_PURPOSE, () => resolve())) };
}

type GivenOptions = Omit<SupervisorOptions, 'again' | 'guardianPid'>;

function startGuardian(entry: string, options: GivenOptions, logFile: string, how: 'start' | 'adopt') {
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn('/bin/sh', ['-c', GUARDIAN, 'bench-guardian', process.execPath, entry, options.home, how], {
      cwd: options.home,
      detached: true,
      stdio: ['pipe', log, log],
    });
    const { stdin } = child;
    if (stdin === null) throw new Error('a guardian without standard input');
    child.on('error', () => undefined);
    stdin.on('error', () => undefined);
    // One line; anything later announces an end on purpose.
    stdin.write(`${JSON.stringify(options)}\n`);
    child.unref();
    return { pid: child.pid, stdin };
  } finally {
    closeSync(log);
  }
}
