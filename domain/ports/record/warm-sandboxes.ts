import type { Backend } from '../../run/run.js';

/** Sandboxes that are started ahead. Each belongs to one run from its registration on. */
export interface WarmSandboxes {
  /** Request sandboxes of this key, like that of this run. */
  requestWarm(key: string, runId: string): Promise<void>;
  /** Requests of the last seconds; `registered`: this host has sandboxes, claimed or not. */
  warmDemand(
    hostId: string,
    seconds: number,
  ): Promise<{ requests: { key: string; runId: string }[]; registered: boolean }>;
  /** Register before the start. False: enough of this key, or no room for another run. */
  beginWarm(at: { runId: string; hostId: string; key: string; most: number }): Promise<boolean>;
  warmIsReady(runId: string): Promise<void>;
  /** It could not be started. */
  dropWarm(runId: string): Promise<void>;
  /** Id of a ready sandbox on a live host, for this caller only. */
  claimWarm(key: string): Promise<string | null>;
  /** Forget this host's unclaimed ones with other keys. Returns their ids. */
  forgetWarm(hostId: string, exceptKeys: readonly string[]): Promise<string[]>;
  /** Forget up to `most` of this host's whose runs ended unbegun; only this host removes them. */
  takeUnbegunWarm(hostId: string, most: number): Promise<{ runId: string; backend: Backend }[]>;
}
