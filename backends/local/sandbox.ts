import type { SandboxPort } from '../../domain/ports/sandbox-port.js';
import { begunAfter } from '../shell/begun-after.js';
import { collectFiles } from '../shell/collect-files.js';
import { controlDirectories } from '../shell/control-directory.js';
import { freezeRun, thawRun } from './freeze-run.js';
import { readView } from './run-world.js';
import { interrupt, printed, run, runExec, stopExec } from './sandbox/commands.js';
import { controlOf, type LocalSandboxOptions, requireSandbox, sandboxContext, uidOf } from './sandbox/context.js';
import { start } from './sandbox/start.js';
import { stop } from './sandbox/stop.js';
import { snapshotOf } from './snapshot-world.js';

/** As root each run has its own user and, where possible, namespaces. No memory or CPU limits. */
export function createLocalSandbox(options: LocalSandboxOptions): SandboxPort {
  const context = sandboxContext(options);
  return {
    backend: 'local',
    isolation: 'none',
    start: (spec) => start(context, spec),
    begunAfter: (ref) => begunAfter(controlOf(context, ref)),
    run: (ref, command, signal) => run(context, ref, command, signal),
    interrupt: (ref, n) => interrupt(context, ref, n),
    printed: (ref, n) => printed(context, ref, n),
    exec: (ref, exec, signal) => runExec(context, ref, exec, signal),
    stopExec: (ref, key) => stopExec(context, ref, key),
    async collect(ref, files, maxBytes, more) {
      const { workspace } = await requireSandbox(controlOf(context, ref), ref);
      return await collectFiles(workspace, files, maxBytes, uidOf(context, ref), more);
    },
    async *snapshot(ref, limits, signal) {
      const control = controlOf(context, ref);
      const place = await requireSandbox(control, ref);
      const at = { control, place, uid: uidOf(context, ref), view: (await readView(control)) ?? {} };
      const { assetsRoot, findPython } = context;
      yield* snapshotOf(at, { python: await findPython(null), assetsRoot }, limits, signal);
    },
    freeze: (ref) => freezeRun(controlOf(context, ref)),
    thaw: (ref) => thawRun(controlOf(context, ref)),
    networkRequests: () => Promise.resolve([]),
    stop: (ref) => stop(context, ref),
    list: () => controlDirectories(options.layout, 'local'),
  };
}
