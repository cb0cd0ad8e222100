/** Something that this home made besides sandboxes, and that should not outlive its use. */
export interface Leftover {
  /** In words: `evaluator`, `volume`, `folder`, `mount`, `installation`. */
  what: string;
  /** Names it on this host. */
  name: string;
  /** Whose it is; null: no run's. */
  runId: string | null;
  /** Of which container of the run; null: of all. */
  epoch: number | null;
  /** Nobody will clear it away, whatever the run does: its maker died, or its time is over. */
  abandoned: boolean;
  /** False: it was gone already, or cannot go yet. */
  remove(): Promise<boolean>;
}

/** Finds what carries the marks of this home, and what homes share and nobody waits for any more; nothing else. */
export interface LeftoversPort {
  find(): Promise<Leftover[]>;
}
