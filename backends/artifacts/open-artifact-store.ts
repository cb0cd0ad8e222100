import type { ArtifactLocation } from '../../domain/home/artifact-location.js';
import type { ArtifactStore } from '../../domain/ports/artifact-store.js';
import { createFileArtifactStore } from './file-artifact-store.js';
import { createS3ArtifactStore } from './s3-artifact-store.js';

export const openArtifactStore = (location: ArtifactLocation): ArtifactStore =>
  location.kind === 'folder' ? createFileArtifactStore(location.dir) : createS3ArtifactStore(location);
