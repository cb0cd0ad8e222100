import type { OldImage } from '../activities/docker/old-images.js';
import type { StoredFile } from '../activities/artifacts/unneeded-artifacts.js';
import { BACKENDS } from '../domain/run.js';
import { artifactsDir } from '../domain/home-layout.js';
import type { CliContext } from './context.js';
import { requireEngine } from './submission/choose-backend.js';

export interface PruneRequest {
  snapshots: boolean;
  artifacts: boolean;
  images: boolean;
  keepDays: number;
}

/** Null: not asked for. */
export interface PrunePlan {
  snapshots: number | null;
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
export async function planPrune(context: CliContext, request: PruneRequest): Promise<PrunePlan> {
  const { pruning } = await context.database();
  return {
    snapshots: request.snapshots ? await pruning.countOldSnapshots(request.keepDays) : null,
    artifacts: request.artifacts ? await unneeded(context, request) : null,
    images: request.images ? await oldImages(context, request) : null,
  };
}

/** Remove it; tells what went. Rows first: files that no row refers to harm nobody if we are cut off. */
export async function prune(context: CliContext, request: PruneRequest, plan: PrunePlan): Promise<PrunePlan> {
  const { pruning } = await context.database();
  const { removeArtifacts } = await import('../activities/artifacts/unneeded-artifacts.js');
  const { removeOldImage } = await import('../activities/docker/old-images.js');
  const done: PrunePlan = { snapshots: null, artifacts: null, images: null };
  if (request.snapshots) done.snapshots = await pruning.removeOldSnapshots(request.keepDays);
  if (request.artifacts) {
    // Looked at anew: rows may have come since people were asked.
    done.artifacts = await removeArtifacts(await unneeded(context, request), oldest(request));
    await pruning.forgetArtifacts();
  }
  if (plan.images !== null) {
    done.images = [];
    for (const image of plan.images)
      if (await removeOldImage(await requireEngine(image.backend, context.settings), image)) done.images.push(image);
  }
  return done;
}

const oldest = ({ keepDays }: PruneRequest): Date =>
  new Date(Math.min(before(keepDays).getTime(), Date.now() - YOUNGEST_MS));

async function unneeded(context: CliContext, request: PruneRequest): Promise<StoredFile[]> {
  const { settings } = context;
  const { pruning } = await context.database();
  const { createFileArtifactStore } = await import('../activities/artifacts/file-artifact-store.js');
  const { unneededArtifacts } = await import('../activities/artifacts/unneeded-artifacts.js');
  const { submissionFiles } = await import('../activities/stored-submission.js');
  const dir = artifactsDir(settings.layout, settings.env);
  const store = createFileArtifactStore(dir);
  const { archives, manifests } = await pruning.neededArtifacts({
    withoutOlderThanDays: request.snapshots ? request.keepDays : null,
  });
  const needed = new Set([...archives, ...manifests]);
  for (const manifest of manifests)
    for (const [, sha256] of (await submissionFiles(store, manifest)) ?? []) needed.add(sha256);
  return await unneededArtifacts(dir, needed, oldest(request));
}

/** Of the engines that answer. */
async function oldImages(context: CliContext, request: PruneRequest): Promise<PrunePlan['images']> {
  const { settings } = context;
  const { pruning } = await context.database();
  const { findOldImages } = await import('../activities/docker/old-images.js');
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
