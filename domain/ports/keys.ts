/**
 * Keys of this installation, 32 bytes in hex, made at first use. `former`: what a home's file `secret` says, where the key lay before; it
 * becomes the key, so that seeds stay what they were.
 */
export interface Keys {
  /** Of the evaluators' seeds: for workers alone. */
  evaluator(former: string | null): Promise<string>;
  /** Of trainers' credentials: servers encrypt them, workers decrypt them. */
  sealing(former: string | null): Promise<string>;
}
