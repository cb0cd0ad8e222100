/** Content-addressed bytes: submissions now, snapshots and full outputs later. */
export interface ArtifactStore {
  /** Store bytes; returns their SHA-256 in hex. Idempotent. */
  put(bytes: Buffer): Promise<string>;
  get(sha256: string): Promise<Buffer>;
}
