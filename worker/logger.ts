import { fstatSync, writeSync } from 'node:fs';
import { DefaultLogger, type LogLevel, Runtime } from '@temporalio/worker';
import { pino, type Logger } from 'pino';
import { lossyLines } from '../domain/text/lossy-lines.js';
import { keyRedactor } from '../domain/text/redact-keys.js';
import { logFields } from './log-fields.js';
import type { WorkerLogLevel } from '../operations/home/log-levels.js';

export type { Logger };

/** Fewer of the SDK's lines, unless the level asks for more. */
const SDK_LEVEL = { error: 'ERROR', warn: 'WARN', info: 'WARN', debug: 'DEBUG', trace: 'TRACE' } as const;
const OF_SDK = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

export interface LoggerOptions {
  level: WorkerLogLevel;
  secrets: readonly string[];
  /** Address of the SDK's metrics, `127.0.0.1:port`; unset: none. */
  sdkMetricsAddress?: string | undefined;
}

/** A full disk only loses log lines. Not process.stdout, which an error closes for good. */
function linesOut(): (line: string) => void {
  if (!fstatSync(1).isFile()) {
    process.stdout.on('error', () => undefined);
    return (line) => void process.stdout.write(line);
  }
  return lossyLines(
    (bytes) => writeSync(1, bytes),
    (lines) =>
      `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), msg: `${lines} lines could not be written` })}\n`,
  );
}

/**
 * JSON lines on stdout, which become worker.log; also those of the Temporal SDK. Installs the SDK's
 * runtime: call once, before anything else of the SDK.
 */
export function createLogger(options: LoggerOptions): Logger {
  const redact = keyRedactor(options.secrets);
  const print = linesOut();
  const log = pino(
    {
      level: options.level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => print(redact(line)) },
  );
  const sdkLevel: LogLevel = SDK_LEVEL[options.level];
  const forward = new DefaultLogger(sdkLevel, ({ level, message, meta }) =>
    log[OF_SDK[level]](logFields({ ...meta }), message),
  );
  Runtime.install({
    logger: forward,
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: { core: sdkLevel, other: 'ERROR' }, forward: {} },
      ...(options.sdkMetricsAddress === undefined
        ? {}
        : { metrics: { prometheus: { bindAddress: options.sdkMetricsAddress } } }),
    },
  });
  return log;
}
