import { BenchError } from '../../domain/errors.js';
import type { RunPages } from '../../domain/ports/reading/run-pages.js';
import { submissionFiles } from '../../domain/run/stored-submission.js';
import type { RunFiles } from '../../domain/views/run-head.js';
import { artifactsOf, type ArtifactPorts } from '../artifacts.js';
import { type FindRunPorts, runIdOf } from './resolve.js';

export type TakenFilesPorts = FindRunPorts & ArtifactPorts & { pages: Pick<RunPages, 'takenFiles'> };

/** Files taken from a run's workspace, and those of each submission that still exists. */
export async function runFiles(ports: TakenFilesPorts, ref: string): Promise<RunFiles> {
  const runId = await runIdOf(ports, ref);
  const { submissions, snapshots } = await ports.pages.takenFiles(runId);
  const store = artifactsOf(ports);
  // The same submission is often evaluated twice.
  const lists = new Map<string, RunFiles['submissions'][number]['files']>();
  for (const { sha256 } of submissions)
    if (sha256 !== null && !lists.has(sha256)) {
      const files = await submissionFiles(store, sha256);
      lists.set(sha256, files?.map(([path, hash]) => ({ path, sha256: hash })) ?? null);
    }
  return {
    runId,
    submissions: submissions.map((taken) => ({
      ...taken,
      files: taken.sha256 === null ? null : (lists.get(taken.sha256) ?? null),
    })),
    snapshots,
  };
}

/** BenchError (not_found): pruned, or in a store that this machine cannot read. */
export async function storedFile(home: ArtifactPorts, sha256: string): Promise<Buffer> {
  const bytes = /^[0-9a-f]{64}$/.test(sha256) ? await artifactsOf(home).get(sha256) : null;
  if (bytes === null)
    throw new BenchError('not_found', `no stored file has the SHA-256 ${sha256.slice(0, 64)}`, {
      code: 'file.not_found',
      remedy: 'It was pruned, or is in the artifact store of another machine: see BENCH_ARTIFACTS.',
    });
  return bytes;
}
