import type { PackageSources } from './package-sources.js';

export interface TaskImageOptions {
  sources: PackageSources;
  onProgress?: ((line: string) => void) | undefined;
  /** Aborts an installation; others waiting for it start it again. */
  signal?: AbortSignal | undefined;
  /** The folder that holds `images/`; needed for tasks that bring an image. */
  assetsRoot?: string | undefined;
}
