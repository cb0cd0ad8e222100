import type { StoredImage } from '../../model/images.js';

/** Images that agents looked at. `saveCommand` stores them with the outcome of their command. */
export interface ImageLog {
  /** Of these ids, those that the run has. */
  images(runId: string, ids: readonly string[]): Promise<StoredImage[]>;
}
