import { SandboxLost } from '../../../domain/errors.js';
import type { HomeLayout } from '../../../domain/home/layout.js';
import type { SandboxRef } from '../../../domain/ports/sandbox-port.js';
import { controlDirectoryExists } from '../../shell/control-directory.js';
import { pythonFinder } from '../find-python.js';
import { isStopping, readPlace, uidOfRun } from '../run-world.js';

export interface LocalSandboxOptions {
  layout: HomeLayout;
  assetsRoot: string;
  python?: string | undefined;
}

export interface SandboxContext {
  layout: HomeLayout;
  assetsRoot: string;
  findPython: ReturnType<typeof pythonFinder>;
}

export const sandboxContext = ({ layout, assetsRoot, python }: LocalSandboxOptions): SandboxContext => ({
  layout,
  assetsRoot,
  findPython: pythonFinder(python),
});

export const foldersOf = ({ layout }: SandboxContext, { runId, epoch }: SandboxRef) => layout.run(runId, epoch);

export const controlOf = (context: SandboxContext, ref: SandboxRef): string => foldersOf(context, ref).control;

/** Null: the run has no user of its own. */
export const uidOf = ({ layout }: SandboxContext, ref: SandboxRef) => uidOfRun(layout, ref);

/** Throws SandboxLost. */
export async function requireControl(control: string, ref: SandboxRef): Promise<void> {
  if (isStopping(control) || !(await controlDirectoryExists(control))) throw gone(ref);
}

/** Throws SandboxLost. */
export async function requireSandbox(control: string, ref: SandboxRef) {
  await requireControl(control, ref);
  const place = await readPlace(control);
  if (place === null || !(await controlDirectoryExists(place.workspace))) throw gone(ref);
  return place;
}

const gone = (ref: SandboxRef): SandboxLost =>
  new SandboxLost(`the local sandbox of run ${ref.runId}, epoch ${ref.epoch}, is gone`);
