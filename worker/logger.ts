import { DefaultLogger, Runtime, type LogMetadata } from '@temporalio/worker';
import { pino, type Logger } from 'pino';

export type { Logger };

/** JSON lines on stdout, which the supervisor keeps as worker.log; the Temporal SDK logs through it too. */
export function createLogger(): Logger {
  const log = pino({ base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime });
  const forward = new DefaultLogger('WARN', ({ level, message, meta }) => {
    const fields: LogMetadata = { ...meta };
    if (level === 'ERROR') log.error(fields, message);
    else log.warn(fields, message);
  });
  Runtime.install({ logger: forward, shutdownSignals: [] });
  return log;
}
