/** Runs whose model's provider gave an error in place of the answer that they wait for. */
export interface ProviderTrouble {
  model: string;
  /** Host and path; null: not recorded. */
  endpoint: string | null;
  /** Its type, and in our words. */
  error: string;
  detail: string;
  runs: number;
  /** The last one. */
  at: string;
  /** The earliest; null: a call is under way. */
  nextTryAt: string | null;
}
