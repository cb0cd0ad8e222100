import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../domain/errors.js';
import { rotateLog } from './log-file.js';
import type { SupervisorOptions } from './supervisor-options.js';

/**
 * A shell that starts the supervisor again when it is killed: the one process that nobody else would restart. The
 * options stay in the shell's memory; they reach neither a command line nor an environment.
 */
const GUARDIAN = `
options=$(cat)
again=
delay=1
began=$(date +%s)
while [ -d "$3" ]; do
  printf '%s' "$options" | "$1" "$2" --guardian $$ $again
  code=$?
  [ $code -eq 0 ] && exit 0
  # Not killed, but failed by itself at once: so would the next one.
  [ -z "$again" ] && [ $code -lt 128 ] && [ $(($(date +%s) - began)) -lt 10 ] && exit 1
  echo "guardian $$: the supervisor was killed or has crashed; starting it again in $delay s"
  sleep $delay
  again=--again
  [ $delay -lt 30 ] && delay=$((delay * 2))
done
`;

/** The compiled entry; when we run from sources (tests), the one in dist/. */
export function supervisorEntry(): string {
  const candidates = ['../services/supervisor-main.js', '../dist/services/supervisor-main.js'];
  const found = candidates
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (found === undefined) throw new BenchError('services', 'bench is not built', { remedy: 'run `npm run build`' });
  return found;
}

/** Start a supervisor that outlives this process. If the home already has one, the new one ends at once. */
export function startSupervisor(options: Omit<SupervisorOptions, 'again' | 'guardianPid'>, logFile: string): void {
  rotateLog(logFile);
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(
      '/bin/sh',
      ['-c', GUARDIAN, 'bench-guardian', process.execPath, supervisorEntry(), options.home],
      {
        cwd: options.home,
        detached: true,
        stdio: ['pipe', log, log],
      },
    );
    child.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify(options));
    child.unref();
  } finally {
    closeSync(log);
  }
}
