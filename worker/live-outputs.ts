import type { LiveOutputs as LiveOutputLog } from '../domain/ports/record/live-outputs.js';
import type { SandboxPort, SandboxRef } from '../domain/ports/sandbox-port.js';
import type { WatchedCommands } from '../domain/ports/watched-commands.js';

const COPY_MS = 1000;

interface Followed {
  sandbox: Pick<SandboxPort, 'printed'>;
  ref: SandboxRef;
  step: number;
  /** Under which the sandbox runs it. */
  n: number;
  timer?: NodeJS.Timeout;
  copied: boolean;
}

/** Only of runs that the host's registrations name as watched: others cost no statement. */
export function liveOutputs(
  store: Pick<LiveOutputLog, 'saveLiveOutput' | 'dropLiveOutput'>,
  worker: string,
  copyMs = COPY_MS,
): WatchedCommands & { watched: (runIds: readonly string[]) => void } {
  const running = new Map<string, Followed>();
  let watched = new Set<string>();

  const copy = async (runId: string, command: Followed): Promise<void> => {
    try {
      const tail = await command.sandbox.printed(command.ref, command.n);
      if (running.get(runId) !== command) return;
      command.copied = true;
      if (!(await store.saveLiveOutput({ runId, step: command.step, tail, worker }))) watched.delete(runId);
    } catch {
      // The engine or the database is away; the next copy retries.
    }
    // It ended meanwhile, and left no row.
    if (running.get(runId) !== command) return drop(runId);
    if (watched.has(runId)) command.timer = setTimeout(() => void copy(runId, command), copyMs);
    else delete command.timer;
  };
  const drop = (runId: string): void => {
    store.dropLiveOutput(runId).catch(() => undefined);
  };
  const begin = (runId: string, command: Followed): void => {
    if (watched.has(runId) && command.timer === undefined)
      command.timer = setTimeout(() => void copy(runId, command), copyMs);
  };
  return {
    follow(sandbox, ref, step, n) {
      const command: Followed = { sandbox, ref, step, n, copied: false };
      running.set(ref.runId, command);
      begin(ref.runId, command);
      return () => {
        clearTimeout(command.timer);
        if (running.get(ref.runId) === command) running.delete(ref.runId);
        if (command.copied) drop(ref.runId);
      };
    },
    watched(runIds) {
      watched = new Set(runIds);
      for (const [runId, command] of running) begin(runId, command);
    },
  };
}
