import { openArtifactStore } from '../backends/artifacts/open-artifact-store.js';
import { artifactLocation } from '../domain/home/artifact-location.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { BenchSettings } from './settings.js';

export interface ArtifactPorts {
  settings: Pick<BenchSettings, 'layout' | 'env'>;
}

/** BenchError (usage): BENCH_ARTIFACTS names no store. */
export const artifactsOf = ({ settings }: ArtifactPorts): ArtifactStore =>
  openArtifactStore(artifactLocation(settings.layout, settings.env));
