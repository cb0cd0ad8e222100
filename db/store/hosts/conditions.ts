import { SILENT_AFTER_BEATS } from '../../../domain/ports/record/hosts.js';

export const beats = (host: string, n: number) => `make_interval(secs => ${host}.heartbeat_seconds * ${n})`;

/** Registered recently, while it reached Temporal, too. */
export const isAlive = (host: string): string =>
  `${host}.seen_at > now() - ${beats(host, SILENT_AFTER_BEATS)} and ${host}.removed_at is null`;

export const isAdmitting = (host: string): string =>
  `${isAlive(host)} and ${host}.lost_at is null and ${host}.drained_at is null and ${host}.pause_reason is null
   and ${host}.cut_off_at is null and ${host}.leaving_at is null and coalesce(${host}.leaves_at > now(), true)`;

/** For people; null: it takes runs, or is drained, leaves or is lost. */
export const whyPaused = (host: string): string =>
  `case when ${host}.cut_off_at is not null then 'it does not reach Temporal' else ${host}.pause_reason end`;

/** It stays that long; null: as long as it takes. */
export const isLongEnough = (host: string, seconds: string): string =>
  `(${seconds}::float8 is null or coalesce(${host}.leaves_at >= now() + make_interval(secs => ${seconds}::float8), true))`;
