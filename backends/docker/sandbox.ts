import { SandboxLost } from '../../domain/errors.js';
import type { SandboxPort } from '../../domain/ports/sandbox-port.js';
import { begunAfter } from '../shell/begun-after.js';
import { withEngineErrors, eachWithEngineErrors } from './engine-errors.js';
import { freezeContainer, thawContainer } from './freeze-container.js';
import { proxyReports } from './network-proxy.js';
import { collect } from './sandbox/collect.js';
import { interrupt, printed, programHost, runCommand, runExec, stopExec } from './sandbox/commands.js';
import { containerOf, type DockerSandboxOptions, foldersOf, sandboxContext } from './sandbox/context.js';
import { list } from './sandbox/list.js';
import { remove } from './sandbox/remove.js';
import { keptDisks, snapshot } from './sandbox/snapshot.js';
import { start } from './sandbox/start.js';

/**
 * One container per run and epoch, and a proxy where hosts are named. Commands bypass the engine
 * where it shares our files.
 */
export function createDockerSandbox(options: DockerSandboxOptions): SandboxPort {
  const context = sandboxContext(options);
  return {
    backend: context.backend,
    isolation: 'container',
    start: (spec) => withEngineErrors(`starting the container of run ${spec.runId}`, () => start(context, spec)),
    begunAfter: (ref) => begunAfter(foldersOf(context, ref).control),
    run: (ref, command, signal) => runCommand(context, ref, command, signal),
    interrupt: (ref, n) => interrupt(context, ref, n),
    printed: (ref, n) => printed(context, ref, n),
    exec: (ref, exec, signal) => runExec(context, ref, exec, signal),
    stopExec: (ref, key) => stopExec(context, ref, key),
    collect: (ref, files, maxBytes, how) =>
      withEngineErrors(`collecting files of run ${ref.runId}`, () => collect(context, ref, files, maxBytes, how)),
    snapshot: (ref, limits, signal) =>
      eachWithEngineErrors(`the snapshot of run ${ref.runId}`, snapshot(context, ref, limits, signal)),
    ...(context.makesDisks && { disks: keptDisks(context) }),
    ...(context.sharesFiles && { programs: programHost(context) }),
    freeze: (ref) =>
      withEngineErrors(`freezing the container of run ${ref.runId}`, () =>
        freezeContainer(containerOf(context, ref)),
      ).catch((error: unknown) => {
        // A missing container runs nothing.
        if (error instanceof SandboxLost) return true;
        throw error;
      }),
    thaw: (ref) =>
      withEngineErrors(`thawing the container of run ${ref.runId}`, () =>
        thawContainer(containerOf(context, ref)),
      ).catch((error: unknown) => {
        if (!(error instanceof SandboxLost)) throw error;
      }),
    networkRequests: (ref, how) =>
      withEngineErrors(`reading the network record of run ${ref.runId}`, () => proxyReports(context, ref, how)),
    stop: (ref) => withEngineErrors(`removing the container of run ${ref.runId}`, () => remove(context, ref)),
    list: () => withEngineErrors('listing containers', () => list(context)),
  };
}
