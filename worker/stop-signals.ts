import type { AssembledWorker } from './assemble.js';
import { leavesAt } from './host-beat.js';
import { emptyWarmPool } from './periodic-work.js';

/** Signals, or the end of a lent machine, stop the worker or make its host leave. */
export function listenForItsEnd(worker: AssembledWorker): () => void {
  const { settings, isHost, departure, polling, log } = worker;
  const leave = (why: string): void => {
    if (departure.begun) return;
    void departure.begin(why, worker.beat).finally(() => polling.stop());
  };
  const end = leavesAt(settings);
  if (isHost) process.on('SIGUSR2', () => leave('notified by SIGUSR2'));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const onSignal = (): void => {
      // A batch system signals each process, and so does the command.
      if (isHost && signal === 'SIGTERM' && (end !== null || departure.begun)) return leave('notified by SIGTERM');
      process.off(signal, onSignal);
      log.info({ signal }, 'stopping; running commands continue and are found again');
      polling.stop();
      if (isHost) void emptyWarmPool(worker);
    };
    process.on(signal, onSignal);
  }
  const ending = isHost && end !== null ? at(end, () => leave('its time is over')) : undefined;
  return () => clearInterval(ending);
}

/** By the second: clocks may be set, and a timer reaches 24 days at most. */
const at = (time: Date, work: () => void): NodeJS.Timeout =>
  setInterval(() => (Date.now() >= time.getTime() ? work() : undefined), 1000);
