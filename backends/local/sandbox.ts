import { spawn } from 'node:child_process';
import { open, readFile, realpath, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BenchError, InfrastructureError, SandboxLost } from '../../domain/errors.js';
import type { HomeLayout } from '../../domain/home-layout.js';
import type { SandboxPort, SandboxRef, SandboxSpec } from '../../domain/ports/sandbox-port.js';
import { LIMIT_KINDS } from '../../domain/run.js';
import { beginsAfter, begunAfter } from '../shell/begun-after.js';
import { sharedDirectory } from '../shell/control-channel.js';
import { controlDirectories, controlDirectoryExists, makeControlDirectory } from '../shell/control-directory.js';
import { stageMemory } from '../shell/stage-memory.js';
import { requireArchive, stageRestore } from '../shell/stage-restore.js';
import { interruptCommand, printedBy, runCommand, supervisorAnswers, SupervisorAway } from '../shell/shell-client.js';
import { waitForSupervisor } from '../shell/wait-for-supervisor.js';
import { collectFiles } from '../shell/collect-files.js';
import { endProcesses, removeTree } from './end-run.js';
import { pythonFinder } from './find-python.js';
import { freezeRun, thawRun } from './freeze-run.js';
import { snapshotOf } from './snapshot-world.js';
import {
  isStopping,
  markStopping,
  PLAN_FILE,
  readPlace,
  readUnusable,
  readView,
  uidOfRun,
  writePlan,
} from './run-world.js';

export interface LocalSandboxOptions {
  layout: HomeLayout;
  /** The folder that holds `images/`. */
  assetsRoot: string;
  /** Python to try first. */
  python?: string | undefined;
}

/**
 * Runs on this host without an engine: the same supervisor as in containers, as a detached process per run. As root each run gets
 * its own user and, where the kernel allows, namespaces. Memory and CPUs are not limited.
 */
export function createLocalSandbox({ layout, assetsRoot, python }: LocalSandboxOptions): SandboxPort {
  const program = join(assetsRoot, 'images', 'agent', 'sandbox_main.py');
  const controlOf = ({ runId, epoch }: SandboxRef) => layout.run(runId, epoch).control;
  const findPython = pythonFinder(python);

  async function plan(spec: SandboxSpec) {
    return {
      uid: uidOfRun(layout, spec),
      base: layout.run(spec.runId, spec.epoch).dir,
      starterDir: spec.starterDir,
      tools: join(assetsRoot, 'images', 'agent', 'tools'),
      hide: [await realpath(layout.home), await realpath(assetsRoot)],
      gpuDevices: spec.gpuDevices,
      openNetwork: spec.network === 'open',
      pids: spec.limits.pids,
      ...(spec.limits.workspaceMb !== undefined && { workspaceMb: spec.limits.workspaceMb }),
      environment: spec.environment ?? {},
    };
  }

  /** Start a supervisor unless one answers. Its lock keeps a second one from doing anything. */
  async function wake(ref: SandboxRef): Promise<void> {
    const control = controlOf(ref);
    // A worker that died during an evaluation leaves it frozen.
    await thawRun(control);
    if (await supervisorAnswers(control)) return;
    const interpreter = await findPython(uidOfRun(layout, ref));
    const log = await open(join(control, 'log'), 'a', 0o600);
    try {
      let ended: string | null = null;
      const launcher = spawn(interpreter, ['-EsS', program, '--control', control, '--local', PLAN_FILE], {
        cwd: '/',
        // Pass nothing of the worker's environment, which may hold keys.
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

  async function stop(ref: SandboxRef): Promise<void> {
    const control = controlOf(ref);
    const { dir } = layout.run(ref.runId, ref.epoch);
    if (await controlDirectoryExists(control)) {
      await markStopping(control);
      await endProcesses(control);
      const place = await readPlace(control);
      if (place !== null && place.base !== dir) await removeTree(place.base);
    }
    await removeTree(dir);
    await rmdir(dirname(dir)).catch(() => undefined);
  }

  return {
    backend: 'local',
    isolation: 'none',

    async start(spec) {
      if (process.platform !== 'linux')
        throw new BenchError('failed', `the local backend needs Linux, this is ${process.platform}`, {
          remedy: 'use containers: the backend docker or podman',
        });
      const control = controlOf(spec);
      // Finish an interrupted stop.
      if (isStopping(control)) await stop(spec);
      await makeControlDirectory(control, 'local');
      await beginsAfter(control, spec.restoredStep ?? 0);
      await stageMemory(control, spec.memory);
      const created = (await readPlace(control)) === null;
      if (created) await writePlan(control, await plan(spec));
      if (created && spec.restore !== undefined) await stageRestore(control, requireArchive(spec.restore));
      await wake(spec);
      const view = await readView(control);
      if (view === null) throw new InfrastructureError(`the local sandbox of run ${spec.runId} reported no workspace`);
      const workspaceLimit = spec.limits.workspaceMb === undefined ? null : 'watched';
      // Processes are counted per user: those of a run alone only where it has a user of its own.
      const unenforcedLimits = LIMIT_KINDS.filter((kind) => kind !== 'processes' || uidOfRun(layout, spec) === null);
      const made = { imageDigest: null, workspace: view.workspace, created };
      return { isolation: 'none', ...made, workspaceLimit, unenforcedLimits };
    },

    begunAfter: (ref) => begunAfter(controlOf(ref)),

    async run(ref, command, signal) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await runCommand(controlOf(ref), command, signal);
        } catch (error) {
          if (!(error instanceof SupervisorAway)) throw error;
          if (attempt === 3) throw new InfrastructureError(`run ${ref.runId}: ${error.message}`, { cause: error });
          await requireSandbox(controlOf(ref), ref);
          await wake(ref);
        }
      }
    },

    async interrupt(ref, n) {
      await interruptCommand(controlOf(ref), n).catch((error: unknown) => {
        // Nothing runs without a supervisor.
        if (!(error instanceof SupervisorAway)) throw error;
      });
    },

    async printed(ref, n) {
      return await printedBy(controlOf(ref), n).catch((error: unknown) => {
        if (!(error instanceof SupervisorAway)) throw error;
        return '';
      });
    },

    async collect(ref, files, maxBytes, more) {
      const place = await requireSandbox(controlOf(ref), ref);
      return await collectFiles(place.workspace, files, maxBytes, uidOfRun(layout, ref), more);
    },

    async *snapshot(ref, limits, signal) {
      const control = controlOf(ref);
      const place = await requireSandbox(control, ref);
      const uid = uidOfRun(layout, ref);
      const at = { control, place, uid, view: (await readView(control)) ?? {} };
      yield* snapshotOf(at, { python: await findPython(null), assetsRoot }, limits, signal);
    },

    freeze: (ref) => freezeRun(controlOf(ref)),

    thaw: (ref) => thawRun(controlOf(ref)),

    networkRequests: () => Promise.resolve([]),

    stop,

    list: () => controlDirectories(layout, 'local'),
  };
}

const gone = (ref: SandboxRef): SandboxLost =>
  new SandboxLost(`the local sandbox of run ${ref.runId}, epoch ${ref.epoch}, is gone`);

async function requireControl(control: string, ref: SandboxRef): Promise<void> {
  if (isStopping(control) || !(await controlDirectoryExists(control))) throw gone(ref);
}

async function requireSandbox(control: string, ref: SandboxRef) {
  await requireControl(control, ref);
  const place = await readPlace(control);
  if (place === null || !(await controlDirectoryExists(place.workspace))) throw gone(ref);
  return place;
}

const lastWords = async (control: string): Promise<string> =>
  (await readFile(join(control, 'log'), 'utf8').catch(() => '')).trim().split('\n').slice(-3).join(' ') || 'no output';
