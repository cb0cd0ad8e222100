/** Something that this home made besides sandboxes, and that may need to be removed. */
export interface Leftover {
  /** In words: `evaluator`, `volume`, `folder`, `mount`, `installation`. */
  what: string;
  /** Names it on this host. */
  name: string;
  /** Whose it is; null: no run's. */
  runId: string | null;
  /** Of which container of the run; null: of all. */
  epoch: number | null;
  /** The run will not remove it: its process died, or it expired. */
  abandoned: boolean;
  /** False: it was gone already, or cannot go yet. */
  remove(): Promise<boolean>;
}

/** Finds what has this home's label, and abandoned things that homes share; nothing else. */
export interface LeftoversPort {
  find(): Promise<Leftover[]>;
}
