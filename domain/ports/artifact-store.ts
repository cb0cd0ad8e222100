export interface StoredArtifact {
  /** Hex; names it from now on. */
  sha256: string;
  bytes: number;
}

/** Content-addressed bytes: submissions and snapshots. Hosts may share one. */
export interface ArtifactStore {
  /** Store bytes; returns their SHA-256 in hex. Idempotent. */
  put(bytes: Uint8Array): Promise<string>;
  /** The same for content of any size, which is never whole in memory. When `content` throws, nothing is stored. */
  putStream(content: AsyncIterable<Uint8Array>): Promise<StoredArtifact>;
  /** Null: it is not there, or no longer what it was. */
  get(sha256: string): Promise<Buffer | null>;
  /** Its size, when it is there and unchanged; null otherwise. Reads all of it. */
  check(sha256: string): Promise<number | null>;
  /** Throws when it is not there. */
  open(sha256: string): AsyncIterable<Uint8Array>;
}
