import type { OldImage } from '../../backends/docker/old-images.js';
import type { StoredFile } from '../../backends/artifacts/unneeded-artifacts.js';
import { BACKENDS } from '../../domain/run.js';
import { artifactsDir } from '../../domain/home-layout.js';
import type { PruneRequest } from '../../domain/requests/prune.js';
import type { Bench } from '../bench.js';
import { requireEngine } from '../batches/choose-backend.js';

/** Null: not asked for. */
export interface PrunePlan {
  snapshots: number | null;
  /** Files of the artifact store, and kept disks of this host. */
  artifacts: StoredFile[] | null;
  images: (OldImage & { backend: EngineBackend })[] | null;
}

const ENGINES = BACKENDS.filter((backend) => backend !== 'local');
type EngineBackend = (typeof ENGINES)[number];
const DAY_MS = 24 * 3_600_000;
/** What an activity stores is in the database within that time. */
const YOUNGEST_MS = 3_600_000;

const before = (days: number): Date => new Date(Date.now() - days * DAY_MS);

/** What nothing needs: found, not touched. */
export async function planPrune(bench: Bench, request: PruneRequest): Promise<PrunePlan> {
  const { pruning } = await bench.database();
  return {
    snapshots: request.snapshots ? await pruning.countOldSnapshots(request.keepDays) : null,
    artifacts: request.artifacts ? Object.values(await unneeded(bench, request)).flat() : null,
    images: request.images ? await oldImages(bench, request) : null,
  };
}

/** Remove it; tells what went. Rows first: files that no row refers to harm nobody if we are cut off. */
export async function prune(bench: Bench, request: PruneRequest, plan: PrunePlan): Promise<PrunePlan> {
  const { pruning } = await bench.database();
  const { removeArtifacts } = await import('../../backends/artifacts/unneeded-artifacts.js');
  const { removeDisks } = await import('../../backends/docker/unneeded-disks.js');
  const { removeOldImage } = await import('../../backends/docker/old-images.js');
  const done: PrunePlan = { snapshots: null, artifacts: null, images: null };
  if (request.snapshots) done.snapshots = await pruning.removeOldSnapshots(request.keepDays);
  if (request.artifacts) {
    // Looked at anew: rows may have come since people were asked.
    const { files, disks } = await unneeded(bench, request);
    done.artifacts = [
      ...(await removeArtifacts(files, oldest(request))),
      ...(await removeDisks(disks, oldest(request))),
    ];
    await pruning.forgetArtifacts();
  }
  if (plan.images !== null) {
    done.images = [];
    for (const image of plan.images)
      if (await removeOldImage(await requireEngine(image.backend, bench.settings), image)) done.images.push(image);
  }
  return done;
}

const oldest = ({ keepDays }: PruneRequest): Date =>
  new Date(Math.min(before(keepDays).getTime(), Date.now() - YOUNGEST_MS));

async function unneeded(bench: Bench, request: PruneRequest): Promise<{ files: StoredFile[]; disks: StoredFile[] }> {
  const { settings } = bench;
  const { pruning } = await bench.database();
  const { createFileArtifactStore } = await import('../../backends/artifacts/file-artifact-store.js');
  const { unneededArtifacts } = await import('../../backends/artifacts/unneeded-artifacts.js');
  const { unneededDisks } = await import('../../backends/docker/unneeded-disks.js');
  const { submissionFiles } = await import('../../domain/stored-submission.js');
  const dir = artifactsDir(settings.layout, settings.env);
  const store = createFileArtifactStore(dir);
  const { archives, disks, manifests } = await pruning.neededArtifacts({
    withoutOlderThanDays: request.snapshots ? request.keepDays : null,
  });
  const needed = new Set([...archives, ...manifests]);
  for (const manifest of manifests)
    for (const [, sha256] of (await submissionFiles(store, manifest)) ?? []) needed.add(sha256);
  return {
    files: await unneededArtifacts(dir, needed, oldest(request)),
    disks: await unneededDisks(settings.layout, new Set(disks), oldest(request)),
  };
}

/** Of the engines that answer. */
async function oldImages(bench: Bench, request: PruneRequest): Promise<PrunePlan['images']> {
  const { settings } = bench;
  const { pruning } = await bench.database();
  const { findOldImages } = await import('../../backends/docker/old-images.js');
  const needed = new Set(await pruning.neededImages());
  const found: NonNullable<PrunePlan['images']> = [];
  for (const backend of ENGINES) {
    const docker = await requireEngine(backend, settings).catch(() => null);
    if (docker === null) continue;
    const old = await findOldImages(docker, {
      assetsRoot: settings.assetsRoot,
      needed,
      before: before(request.keepDays),
    });
    found.push(...old.map((image) => ({ ...image, backend })));
  }
  return found;
}
