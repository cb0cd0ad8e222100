import type { RemedyFields } from '../domain/errors.js';
import type { ValidatedFile } from '../domain/views/validated-file.js';

/** Reports of operations besides their results, as values. Callers render or ignore them. */
export type Notice =
  /** A step of work that takes a while: starting services, building an image. */
  | { code: 'progress'; line: string }
  /** Agents will run as plain processes of this machine. */
  | { code: 'backend.local' }
  /** No container engine can be used, so the local backend was chosen. */
  | { code: 'backend.no_engine'; reason: string; remedy?: string | undefined; fields?: RemedyFields | undefined }
  | { code: 'task.left_out'; task: string; reason: string; remedy: string; fields: RemedyFields }
  /** A broken configuration file is disabled; everything else works. */
  | { code: 'config.broken'; file: ValidatedFile }
  /** Missing variables of models. `where`: only workers elsewhere need them, or it is a dry run. */
  | { code: 'model.keys_missing'; where: 'workers' | 'here'; message: string; variables: number }
  /** Models that are not called, since the variable that holds their key is not set. */
  | { code: 'model.untested'; variable: string; models: readonly string[] }
  /** No Python here reads the referees of tasks. */
  | { code: 'referees.unread' }
  /** A dry run without running services: hosts were not checked. */
  | { code: 'hosts.unknown' }
  /** An operation with more to do has stored and started a batch. */
  | { code: 'batch.started'; batchId: string; runs: number; backend: string };
