import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxRef } from '../../../domain/ports/sandbox-port.js';
import { sharedDirectory } from '../../shell/control-channel.js';
import { supervisorAnswers } from '../../shell/shell-client.js';
import { waitForSupervisor } from '../../shell/wait-for-supervisor.js';
import { thawRun } from '../freeze-run.js';
import { PLAN_FILE, readUnusable } from '../run-world.js';
import { controlOf, requireControl, type SandboxContext, uidOf } from './context.js';

/** Starts a supervisor unless one answers. Its lock keeps a second one from doing anything. */
export async function wake(context: SandboxContext, ref: SandboxRef): Promise<void> {
  const control = controlOf(context, ref);
  // A worker that died during an evaluation leaves the run frozen.
  await thawRun(control);
  if (await supervisorAnswers(control)) return;
  const program = join(context.assetsRoot, 'images', 'agent', 'sandbox_main.py');
  const interpreter = await context.findPython(uidOf(context, ref));
  const log = await open(join(control, 'log'), 'a', 0o600);
  try {
    let ended: string | null = null;
    const launcher = spawn(interpreter, ['-EsS', program, '--control', control, '--local', PLAN_FILE], {
      cwd: '/',
      // Pass nothing of the worker's environment, which may contain keys.
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    launcher.on('error', (error) => (ended = error.message));
    launcher.on('exit', (code, signal) => {
      // 0: it left the supervisor running in namespaces, or found another one.
      if (code !== 0) ended = signal ?? `exit code ${code}`;
    });
    launcher.unref();
    await waitForSupervisor(sharedDirectory(control), control, async () => {
      await requireControl(control, ref);
      const unusable = await readUnusable(control);
      if (unusable !== null) return `the local sandbox of run ${ref.runId} did not start: ${unusable}`;
      if (ended === null) return null;
      return `the local sandbox of run ${ref.runId} did not start (${ended}): ${await lastWords(control)}`;
    });
  } finally {
    await log.close();
  }
}

const lastWords = async (control: string): Promise<string> =>
  (await readFile(join(control, 'log'), 'utf8').catch(() => '')).trim().split('\n').slice(-3).join(' ') || 'no output';
