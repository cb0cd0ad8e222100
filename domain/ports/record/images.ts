import type { ImageType } from '../../agent/images.js';

export interface StoredImage {
  /** First 16 hexadecimal digits of the SHA-256 of its bytes. */
  id: string;
  type: ImageType;
  bytes: Uint8Array;
}

/** Images that agents looked at. `saveCommand` stores them with the outcome of their command. */
export interface ImageLog {
  /** Of these ids, those that the run has. */
  images(runId: string, ids: readonly string[]): Promise<StoredImage[]>;
}
