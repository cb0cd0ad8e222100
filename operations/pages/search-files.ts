import type { ArtifactStore } from '../../domain/ports/artifact-store.js';
import type { FoundText, SearchPages, SearchSlice } from '../../domain/ports/reading/search-pages.js';
import type { SoughtText } from '../../domain/text/search-text.js';
import { submissionFiles } from '../../domain/run/stored-submission.js';

/** A longer file is data, not something that an agent wrote. */
const MOST_BYTES = 1024 * 1024;
/** Size of a request to the database. */
const BATCH_BYTES = 4 * 1024 * 1024;

type Excerpt = FoundText['excerpt'];

/** Null: not text, or too long. */
function textOf(bytes: Buffer | null): string | null {
  if (bytes === null || bytes.length > MOST_BYTES || bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Files of submissions that contain a text. The content of a path is read once, and reported once
 * per run, at the first step that had it.
 */
export class FileSearch {
  private readonly excerpts = new Map<string, Excerpt>();
  private readonly reported = new Set<string>();

  constructor(
    private readonly pages: Pick<SearchPages, 'submissionsOf' | 'excerptsOf'>,
    private readonly store: ArtifactStore,
    private readonly sought: SoughtText,
  ) {}

  async slice(slice: SearchSlice, limit: number, signal: AbortSignal): Promise<{ hits: FoundText[]; bytes: number }> {
    const files: { runId: string; step: number; path: string; sha256: string }[] = [];
    for (const { runId, step, sha256 } of await this.pages.submissionsOf(slice))
      for (const [path, file] of (await submissionFiles(this.store, sha256)) ?? []) {
        const key = JSON.stringify([runId, path, file]);
        if (!this.reported.has(key)) files.push({ runId, step, path, sha256: file });
        this.reported.add(key);
      }
    const bytes = await this.read([...new Set(files.map(({ sha256 }) => sha256))], signal);
    const hits = files.flatMap(({ sha256, runId, step, path }): FoundText[] => {
      const excerpt = this.excerpts.get(sha256) ?? null;
      return excerpt === null ? [] : [{ runId, step, in: 'file', path, excerpt }];
    });
    return { hits: hits.slice(0, Math.max(0, limit)), bytes };
  }

  /** Reads only new hashes. */
  private async read(hashes: readonly string[], signal: AbortSignal): Promise<number> {
    let read = 0;
    let waiting = new Map<string, string>();
    const flush = async (): Promise<void> => {
      const found = await this.pages.excerptsOf(this.sought, [...waiting.values()]);
      [...waiting.keys()].forEach((hash, i) => this.excerpts.set(hash, found[i] ?? null));
      waiting = new Map();
    };
    let size = 0;
    for (const hash of hashes) {
      if (this.excerpts.has(hash)) continue;
      signal.throwIfAborted();
      const text = textOf(await this.store.get(hash));
      if (text === null) {
        this.excerpts.set(hash, null);
        continue;
      }
      waiting.set(hash, text);
      read += text.length;
      size += text.length;
      if (size > BATCH_BYTES) {
        await flush();
        size = 0;
      }
    }
    if (waiting.size > 0) await flush();
    return read;
  }
}
