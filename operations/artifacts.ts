import { openArtifactStore } from '../backends/artifacts/open-artifact-store.js';
import { artifactLocation } from '../domain/home/artifact-location.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { BenchSettings } from './settings.js';

/** The settings that say where artifacts lie. */
export interface ArtifactPorts {
  settings: Pick<BenchSettings, 'layout' | 'env'>;
}

/** The store that BENCH_ARTIFACTS names. BenchError (usage): it names none. */
export const artifactsOf = ({ settings }: ArtifactPorts): ArtifactStore =>
  openArtifactStore(artifactLocation(settings.layout, settings.env));
