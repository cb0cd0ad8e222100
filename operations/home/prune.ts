import type { OldImage } from '../../backends/docker/old-images.js';
import type { KeptDisk } from '../../backends/docker/unneeded-disks.js';
import { BACKENDS } from '../../domain/run/run.js';
import type { ArtifactStore, OldArtifact } from '../../domain/ports/artifact-store.js';
import type { PruneRequest } from '../../domain/requests/prune.js';
import type { Pruning } from '../../domain/ports/pruning.js';
import type { BenchSettings } from '../settings.js';
import { type ArtifactPorts, artifactsOf } from '../artifacts.js';
import { homeTag } from './home-identity.js';
import { requireEngine } from '../batches/choose-backend.js';

type PlanPrunePorts = ArtifactPorts & {
  settings: Parameters<typeof requireEngine>[1] & Pick<BenchSettings, 'assetsRoot'>;
  pruning: Pick<Pruning, 'countOldSnapshots' | 'neededArtifacts' | 'neededImages'>;
};
type PrunePorts = ArtifactPorts & {
  settings: Parameters<typeof requireEngine>[1];
  pruning: Pick<Pruning, 'removeOldSnapshots' | 'neededArtifacts' | 'forgetArtifacts'>;
};

/** Null: not requested. */
export interface PrunePlan {
  snapshots: number | null;
  /** Of the artifact store, and kept disks of this host. */
  artifacts: { bytes: number }[] | null;
  images: (OldImage & { backend: EngineBackend })[] | null;
}

const ENGINES = BACKENDS.filter((backend) => backend !== 'local');
type EngineBackend = (typeof ENGINES)[number];
const DAY_MS = 24 * 3_600_000;
/** Within this time the database records what an activity has stored. */
const YOUNGEST_MS = 3_600_000;

const before = (days: number): Date => new Date(Date.now() - days * DAY_MS);

/** Finds what nothing needs; removes nothing. */
export async function planPrune(ports: PlanPrunePorts, request: PruneRequest): Promise<PrunePlan> {
  return {
    snapshots: request.snapshots ? await ports.pruning.countOldSnapshots(request.keepDays) : null,
    artifacts: request.artifacts ? Object.values(await unneeded(ports, artifactsOf(ports), request)).flat() : null,
    images: request.images ? await oldImages(ports, request) : null,
  };
}

/** Removes it. Rows first: after an interruption, artifacts without a row do no harm. */
export async function prune(ports: PrunePorts, request: PruneRequest, plan: PrunePlan): Promise<PrunePlan> {
  const { settings, pruning } = ports;
  const { removeDisks } = await import('../../backends/docker/unneeded-disks.js');
  const { removeOldImage } = await import('../../backends/docker/old-images.js');
  const done: PrunePlan = { snapshots: null, artifacts: null, images: null };
  if (request.snapshots) done.snapshots = await pruning.removeOldSnapshots(request.keepDays);
  if (request.artifacts) {
    // Read again: rows may have come since the user was asked.
    const store = artifactsOf(ports);
    const { stored, disks } = await unneeded(ports, store, request);
    done.artifacts = [];
    for (const artifact of stored)
      if (await store.remove(artifact.name, oldest(request))) done.artifacts.push(artifact);
    done.artifacts.push(...(await removeDisks(disks, oldest(request))));
    await pruning.forgetArtifacts();
  }
  if (plan.images !== null) {
    done.images = [];
    for (const image of plan.images)
      if (await removeOldImage(await requireEngine(image.backend, settings), image)) done.images.push(image);
  }
  return done;
}

const oldest = ({ keepDays }: PruneRequest): Date =>
  new Date(Math.min(before(keepDays).getTime(), Date.now() - YOUNGEST_MS));

async function unneeded(
  { settings, pruning }: ArtifactPorts & { pruning: Pick<Pruning, 'neededArtifacts'> },
  store: ArtifactStore,
  request: PruneRequest,
): Promise<{ stored: OldArtifact[]; disks: KeptDisk[] }> {
  const { unneededDisks } = await import('../../backends/docker/unneeded-disks.js');
  const { submissionFiles } = await import('../../domain/run/stored-submission.js');
  const { archives, disks, manifests } = await pruning.neededArtifacts({
    withoutOlderThanDays: request.snapshots ? request.keepDays : null,
  });
  const needed = new Set([...archives, ...manifests]);
  for (const manifest of manifests)
    for (const [, sha256] of (await submissionFiles(store, manifest)) ?? []) needed.add(sha256);
  const stored: OldArtifact[] = [];
  for await (const artifact of store.storedBefore(oldest(request)))
    if (artifact.sha256 === null || !needed.has(artifact.sha256)) stored.push(artifact);
  return { stored, disks: await unneededDisks(settings.layout, new Set(disks), oldest(request)) };
}

/** Of the engines that answer. */
async function oldImages({ settings, pruning }: PlanPrunePorts, request: PruneRequest): Promise<PrunePlan['images']> {
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
      home: homeTag(settings.layout),
    });
    found.push(...old.map((image) => ({ ...image, backend })));
  }
  return found;
}
