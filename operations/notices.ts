import type { RemedyFields } from '../domain/errors.js';
import type { ValidatedFile } from '../domain/views/validated-file.js';

/** What operations report besides their results, as values. Callers put them into words, show them as events, or ignore them. */
export type Notice =
  /** A step of work that takes a while: services that start, an image that is built. */
  | { code: 'progress'; line: string }
  /** The agents will run as plain processes of this machine. */
  | { code: 'backend.local' }
  /** No container engine can be used, so the local backend was chosen. */
  | { code: 'backend.no_engine'; reason: string; remedy?: string | undefined; fields?: RemedyFields | undefined }
  /** A task was left out of the batch. */
  | { code: 'task.left_out'; task: string; reason: string; remedy: string; fields: RemedyFields }
  /** A configuration file that is disabled, since it is broken; everything else works. */
  | { code: 'config.broken'; file: ValidatedFile }
  /** Variables that models need are not set here. `where`: only the workers, which run elsewhere, need them; or it was a dry run. */
  | { code: 'model.keys_missing'; where: 'workers' | 'here'; message: string; variables: number }
  /** Models that are not called, since the variable that holds their key is not set. */
  | { code: 'model.untested'; variable: string; models: readonly string[] }
  /** A dry run that could not look at hosts, since no services run. */
  | { code: 'hosts.unknown' }
  /** A batch was stored and started, by an operation that has more to do. */
  | { code: 'batch.started'; batchId: string; runs: number; backend: string };
