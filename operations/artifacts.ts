import { openArtifactStore } from '../backends/artifacts/open-artifact-store.js';
import { artifactLocation } from '../domain/artifact-location.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { Bench } from './bench.js';

/** The store that BENCH_ARTIFACTS names. BenchError (usage): it names none. */
export const artifactsOf = ({ settings }: Pick<Bench, 'settings'>): ArtifactStore =>
  openArtifactStore(artifactLocation(settings.layout, settings.env));
