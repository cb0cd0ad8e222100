/** Something besides a sandbox that this home made and may need to remove. */
export interface Leftover {
  /** `evaluator`, `volume`, `folder`, `mount`, `installation`. */
  what: string;
  /** Unique on this host. */
  name: string;
  /** Null: belongs to no run. */
  runId: string | null;
  /** Container epoch; null: all. */
  epoch: number | null;
  /** The run will not remove it: its process died, or it expired. */
  abandoned: boolean;
  /** False: already gone, or cannot be removed yet. */
  remove(): Promise<boolean>;
}

/** Finds what has this home's label, and abandoned things that homes share; nothing else. */
export interface LeftoversPort {
  find(): Promise<Leftover[]>;
}
