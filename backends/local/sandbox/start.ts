import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError, InfrastructureError } from '../../../domain/errors.js';
import type { SandboxInfo, SandboxSpec } from '../../../domain/ports/sandbox-port.js';
import { LIMIT_KINDS } from '../../../domain/run/run.js';
import { recordBeginStep } from '../../shell/begun-after.js';
import { makeControlDirectory } from '../../shell/control-directory.js';
import { stageMemory } from '../../shell/stage-memory.js';
import { requireArchive, stageRestore } from '../../shell/stage-restore.js';
import { isStopping, readPlace, readView, writePlan } from '../run-world.js';
import { controlOf, foldersOf, type SandboxContext, uidOf } from './context.js';
import { stop } from './stop.js';
import { wake } from './wake.js';

/** Writes the supervisor's plan, unless there is one, and waits for a supervisor's answer. */
export async function start(context: SandboxContext, spec: SandboxSpec): Promise<SandboxInfo> {
  if (process.platform !== 'linux')
    throw new BenchError('failed', `the local backend needs Linux, this is ${process.platform}`, {
      remedy: 'use containers: the backend docker or podman',
    });
  const control = controlOf(context, spec);
  // Finish an interrupted stop.
  if (isStopping(control)) await stop(context, spec);
  await makeControlDirectory(control, 'local');
  await recordBeginStep(control, spec.restoredStep ?? 0);
  await stageMemory(control, spec.memory);
  const created = (await readPlace(control)) === null;
  if (created) await writePlan(control, await planOf(context, spec));
  if (created && spec.restore !== undefined) await stageRestore(control, requireArchive(spec.restore));
  await wake(context, spec);
  const view = await readView(control);
  if (view === null) throw new InfrastructureError(`the local sandbox of run ${spec.runId} reported no workspace`);
  return {
    isolation: 'none',
    imageDigest: null,
    workspace: view.workspace,
    created,
    workspaceLimit: spec.limits.workspaceMb === undefined ? null : 'watched',
    // Processes are counted per user, so this limit needs a user of the run's own.
    unenforcedLimits: LIMIT_KINDS.filter((kind) => kind !== 'processes' || uidOf(context, spec) === null),
  };
}

async function planOf(context: SandboxContext, spec: SandboxSpec) {
  const { layout, assetsRoot } = context;
  return {
    uid: uidOf(context, spec),
    base: foldersOf(context, spec).dir,
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
