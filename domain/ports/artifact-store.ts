export interface StoredArtifact {
  /** Hex; the artifact's name. */
  sha256: string;
  bytes: number;
}

export interface OldArtifact {
  /** Key in the store. */
  name: string;
  /** Null: an unfinished write. */
  sha256: string | null;
  bytes: number;
}

/** Content-addressed bytes: submissions and snapshots. Hosts may share one. */
export interface ArtifactStore {
  /** Idempotent; an existing artifact counts as stored now. Returns the SHA-256 in hex. */
  put(bytes: Uint8Array): Promise<string>;
  /**
   * If `content` throws, nothing is stored. `silenceMs`: give up after so long without a byte;
   * absent: retry for minutes. Folders are never silent.
   */
  putStream(content: AsyncIterable<Uint8Array>, options?: { silenceMs: number }): Promise<StoredArtifact>;
  /** Null: missing or damaged. */
  get(sha256: string): Promise<Buffer | null>;
  /** Size of an undamaged artifact, else null. Reads all of it. */
  check(sha256: string): Promise<number | null>;
  /** Compares the size only; does not read the bytes. */
  has(sha256: string, bytes: number): Promise<boolean>;
  /** Remove a damaged artifact, so that it is stored again. */
  discard(sha256: string): Promise<void>;
  open(sha256: string): AsyncIterable<Uint8Array>;
  /** Download address, valid for so long; serves unchecked bytes. Null: the store has none. */
  link(sha256: string, fileName: string, seconds: number): Promise<string | null>;
  /** Artifacts last stored before `before`; foreign files are omitted. */
  storedBefore(before: Date): AsyncIterable<OldArtifact>;
  /** False: it is already gone, or was stored again since `before`. */
  remove(name: string, before: Date): Promise<boolean>;
}
