/**
 * Keys of this installation, 32 bytes in hex, made at first use. `former`: content of a home's old
 * `secret` file, which becomes the key so that seeds stay the same.
 */
export interface Keys {
  /** Seeds evaluators; for workers only. */
  evaluator(former: string | null): Promise<string>;
  /** For trainers' credentials: servers encrypt, workers decrypt. */
  sealing(former: string | null): Promise<string>;
}
