export interface StoredArtifact {
  /** Hex; names it from now on. */
  sha256: string;
  bytes: number;
}

/** Something that lies in a store. */
export interface OldArtifact {
  /** How the store finds it again. */
  name: string;
  /** Null: a write that was never finished. */
  sha256: string | null;
  bytes: number;
}

/** Content-addressed bytes: submissions and snapshots. Hosts may share one. */
export interface ArtifactStore {
  /** Store bytes; returns their SHA-256 in hex. Idempotent; what is there already counts as stored now. */
  put(bytes: Uint8Array): Promise<string>;
  /**
   * The same for a stream of any size. If `content` throws, nothing is stored. `silenceMs`: once no byte has moved for so long this
   * gives up, without another try; absent: it tries for minutes. Folders are never silent.
   */
  putStream(content: AsyncIterable<Uint8Array>, options?: { silenceMs: number }): Promise<StoredArtifact>;
  /** Null: missing or damaged. */
  get(sha256: string): Promise<Buffer | null>;
  /** Its size if it exists undamaged, else null. Reads all of it. */
  check(sha256: string): Promise<number | null>;
  /** It is there with this size; its bytes are not read. */
  has(sha256: string, bytes: number): Promise<boolean>;
  /** Remove one that is damaged, so that it is stored again. */
  discard(sha256: string): Promise<void>;
  /** Throws if it is missing. */
  open(sha256: string): AsyncIterable<Uint8Array>;
  /**
   * An address where anyone may fetch it for so long, without this process: a download under that name. Its bytes are not compared on the
   * way. Null: only this store's own reader can.
   */
  link(sha256: string, fileName: string, seconds: number): Promise<string | null>;
  /** What was last stored before `before`. Whatever does not belong to the store is left out. */
  storedBefore(before: Date): AsyncIterable<OldArtifact>;
  /** False: it is gone, or was stored again since `before`, and stays. */
  remove(name: string, before: Date): Promise<boolean>;
}
