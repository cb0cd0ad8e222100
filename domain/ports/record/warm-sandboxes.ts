import type { Backend } from '../../run/run.js';

/** The record of sandboxes that are started ahead. Each is one run's alone, from the moment that it is registered. */
export interface WarmSandboxes {
  /** Sandboxes of this key are wanted, like that of this run. */
  requestWarm(key: string, runId: string): Promise<void>;
  /** What was wanted in the last seconds. */
  warmRequests(seconds: number): Promise<{ key: string; runId: string }[]>;
  /** Registers one before it is started. False: the host has as many of this key as it may, or no room for another run. */
  beginWarm(at: { runId: string; hostId: string; key: string; most: number }): Promise<boolean>;
  warmIsReady(runId: string): Promise<void>;
  /** It could not be started. */
  dropWarm(runId: string): Promise<void>;
  /** The id of a sandbox that stands ready on a live host, for this caller alone; null: there is none. */
  claimWarm(key: string): Promise<string | null>;
  /** This host's that are not claimed and have none of these keys: forgotten from now on. Returns their ids. */
  forgetWarm(hostId: string, exceptKeys: readonly string[]): Promise<string[]>;
  /** Up to `most` of this host's whose runs have ended and never began: only this host removes them. Forgotten from now on. */
  takeUnbegunWarm(hostId: string, most: number): Promise<{ runId: string; backend: Backend }[]>;
}
