/** This worker's process, as the ledger of model calls names it. */
export interface WorkerIdentity {
  /** Names the process for good: a later one with the same number is another. */
  readonly name: string;
  /** Is the process that has this name certainly gone? False where it may be alive, as on another machine. */
  isGone(name: string): boolean;
}
