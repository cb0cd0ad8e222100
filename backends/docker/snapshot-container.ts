import type Docker from 'dockerode';
import { AGENT_UID, CONTAINER_WORKSPACE } from '../../domain/run/limits.js';
import { execOutput } from './exec-output.js';
import { CONTROL_INSIDE } from './sandbox-container.js';

const PROGRAM = ['/opt/bench/python3', '-IS', '/opt/bench/durable_shell/snapshot.py'];
const HOME = '/home/agent';

/** By a program inside, as root, so that all engines give the same. Read with backpressure. */
export async function* snapshotOf(
  container: Docker.Container,
  { maxBytes, workspaceAlone = false }: { maxBytes: number; workspaceAlone?: boolean },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const plan = {
    control: CONTROL_INSIDE,
    view: { workspace: CONTAINER_WORKSPACE, home: HOME, tools: '/run/bench-tools' },
    places: { workspace: CONTAINER_WORKSPACE, ...(!workspaceAlone && { home: HOME, tmp: '/tmp' }) },
    uid: AGENT_UID,
    maxBytes,
  };
  yield* execOutput(container, [...PROGRAM, JSON.stringify(plan)], signal);
}
