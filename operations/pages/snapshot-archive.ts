import { createHash } from 'node:crypto';
import { BenchError } from '../../domain/errors.js';
import { artifactsOf, type ArtifactPorts } from '../artifacts.js';
import type { TakenFilesPorts } from './files.js';
import { runIdOf } from './resolve.js';

export interface SnapshotArchive {
  sha256: string;
  bytes: number;
  fileName: string;
  /** The store's own URL; null: only `artifactStream` reads it. */
  url: string | null;
}

/** A temporary URL of a run's snapshot archive. BenchError (not_found) says why there is none. */
export async function snapshotArchive(
  ports: TakenFilesPorts,
  ref: string,
  step: number,
  seconds: number,
): Promise<SnapshotArchive> {
  const runId = await runIdOf(ports, ref);
  const missing = (message: string, remedy: string): BenchError =>
    new BenchError('not_found', message, { code: 'file.not_found', remedy });
  const snapshot = (await ports.pages.takenFiles(runId)).snapshots.find((one) => one.step === step);
  if (snapshot === undefined)
    throw missing(`run ${runId} has no snapshot of step ${step}`, 'Its files name the steps that have one.');
  const { sha256, bytes, host } = snapshot;
  if (sha256 === null || bytes === null)
    throw missing(
      `the snapshot of step ${step} is a disk on ${host ?? 'a host'}, and no archive yet`,
      'An archive is made when another host asks for it, or BENCH_ARTIFACTS is shared.',
    );
  const store = artifactsOf(ports);
  if (!(await store.has(sha256, bytes)))
    throw missing(
      `the archive of step ${step} is not in this machine's artifact store`,
      'It was pruned, or is in the store of another machine: see BENCH_ARTIFACTS.',
    );
  const fileName = `${runId}-step-${step}.tar.gz`;
  return { sha256, bytes, fileName, url: await store.link(sha256, fileName, seconds) };
}

/** A damaged artifact throws before its last piece, so that no reader takes it for whole. */
export async function* artifactStream(
  home: ArtifactPorts,
  sha256: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  let last: Uint8Array | undefined;
  for await (const chunk of artifactsOf(home).open(sha256)) {
    if (last !== undefined) yield last;
    hash.update(chunk);
    last = chunk;
  }
  if (hash.digest('hex') !== sha256) throw new Error(`the artifact ${sha256} is damaged`);
  if (last !== undefined) yield last;
}
