import type Docker from 'dockerode';
import type { Collected, CollectOptions, SandboxRef } from '../../../domain/ports/sandbox-port.js';
import { collectFiles as collectHere } from '../../shell/collect-files.js';
import { collectFiles } from '../collect-files.js';
import { collectWhole } from '../collect-whole.js';
import { unlessStatus } from '../engine-errors.js';
import { freezeContainer } from '../freeze-container.js';
import { runLiveTests } from '../harbor/live-tests.js';
import { workspaceOn } from '../workspace-disk.js';
import { containerOf, foldersOf, type SandboxContext } from './context.js';
import { startAndWait } from './supervisor.js';
import { mountIntact, onIntactDisk } from './intact-disk.js';

const MOST_TRIES = 3;

export async function collect(
  context: SandboxContext,
  ref: SandboxRef,
  files: string[],
  maxBytes: number,
  more: CollectOptions | undefined,
): Promise<Collected> {
  await mountIntact(context, ref);
  const { live, whole } = more ?? {};
  if (live !== undefined) {
    // Not restarted on failure: its processes are under test.
    const container = containerOf(context, ref);
    await startAndWait(context, ref, container);
    return await onIntactDisk(context, ref, () => runLiveTests(container, live));
  }
  return await onIntactDisk(context, ref, async () => {
    if (whole !== undefined)
      return await collectInside(context, ref, (container) => collectWhole(container, maxBytes, whole));
    const workspace = workspaceOn(foldersOf(context, ref).dir);
    return workspace === null
      ? await collectInside(context, ref, (container) => collectFiles(container, files, maxBytes, more))
      : await collectHere(workspace, files, maxBytes, null, more);
  });
}

/** Needs a running container with room for a process; thaws a frozen one meanwhile. */
async function collectInside(
  context: SandboxContext,
  ref: SandboxRef,
  work: (container: Docker.Container) => Promise<Collected>,
): Promise<Collected> {
  const container = containerOf(context, ref);
  const { Paused: frozen } = (await container.inspect()).State;
  try {
    for (let attempt = 1; ; attempt++) {
      await startAndWait(context, ref, container);
      try {
        return await work(container);
      } catch (error) {
        if (attempt === MOST_TRIES) throw error;
        // The agent's leftover processes fill the container. A restart ends them; the files stay.
        if (attempt === 2) await container.kill().catch(unlessStatus(409));
      }
    }
  } finally {
    if (frozen) await freezeContainer(container);
  }
}
