import { createHash, type Hash, type KeyObject } from 'node:crypto';
import { LINE_LISTS } from '../../../domain/exchange/line-lists.js';
import type { Exports, LineImport, LineSource } from '../../../domain/ports/exports.js';
import { BenchError } from '../../../domain/errors.js';
import { type LineSignature, SignatureReader } from '../export/line-signature.js';
import { keyId } from '../export/signing-key.js';
import { LineSplitter } from './line-splitter.js';
import { Remarks } from './remarks.js';
import { textChunks } from './text-chunks.js';
import { UnreadableFile } from './unreadable-file.js';
import type { DirectoryResult } from '../../../domain/views/imports.js';

export interface LinesPorts {
  exports: Pick<Exports, 'startLine'>;
}

export interface LinesOptions {
  /** This home's public key: its own exports are restored as they were. */
  ownKey?: KeyObject | null;
  /** If set, skips lines that neither these keys nor `ownKey` signed. */
  trusted?: readonly KeyObject[] | undefined;
  /** Contracts of the tasks here: skips a line of a newer one. */
  contracts?: Readonly<Record<string, number>>;
  /** After each run, with the bytes read so far. */
  onRun?: (done: DirectoryResult, bytes: number) => void;
}

/**
 * Stores the runs of a `bench export` file, each line in one transaction: whole, or not at all with
 * a remark. Throws UnreadableFile if the file cannot be read further, BenchError (usage) if its
 * first line shows that it is no export.
 */
export async function importLines(
  { exports }: LinesPorts,
  path: string,
  options: LinesOptions = {},
): Promise<DirectoryResult[]> {
  const results: DirectoryResult[] = [];
  let bytes = 0;
  let number = 1;
  let line = new LineReader(exports, path, number, options);
  const end = async (): Promise<void> => {
    const done = await line.end();
    if (done === null) return;
    if (results.length === 0 && line.foreign) throw noExport(path);
    results.push(done);
    options.onRun?.(done, bytes);
  };
  try {
    for await (const chunk of textChunks(path, path)) {
      const [first = '', ...more] = chunk.split('\n');
      await line.push(first);
      for (const next of more) {
        await end();
        number += 1;
        line = new LineReader(exports, path, number, options);
        await line.push(next);
      }
      bytes += Buffer.byteLength(chunk);
    }
    await end();
  } finally {
    await line.abandon();
  }
  return results;
}

const noExport = (path: string): BenchError =>
  new BenchError('usage', `${path} is no export of bench`, {
    code: 'import.unreadable',
    remedy: '`bench export` writes one. `bench import --help` names the commands for files of other programs.',
  });

/** Who vouches for a line. BenchError (usage): changed since its home signed it, or not trusted. */
function sourceOf(
  signature: LineSignature | null,
  { ownKey = null, trusted, contracts = {} }: LinesOptions,
): LineSource {
  const known = [...(ownKey === null ? [] : [ownKey]), ...(trusted ?? [])];
  const signer = known.find((key) => keyId(key) === signature?.key);
  if (signature !== null && signer !== undefined && !signature.isOf(signer))
    throw new BenchError('usage', `the line was changed after the key ${signature.key} signed it`, {
      code: 'import.untrusted',
      remedy: 'Export it again from the home that has the run.',
    });
  if (trusted !== undefined && signer === undefined)
    throw new BenchError(
      'usage',
      signature === null ? 'the line is not signed' : `the line is signed by another key, ${signature.key}`,
      { code: 'import.untrusted', remedy: 'Give the public key of its home too, or trust every key.' },
    );
  return {
    own: signer !== undefined && signer === ownKey,
    signedBy: signer === undefined ? null : keyId(signer),
    contracts,
  };
}

/** Reads one line; nothing is stored before its end. */
class LineReader {
  readonly #splitter: LineSplitter;
  readonly #remarks: Remarks;
  readonly #hash: Hash = createHash('sha256');
  readonly #signature = new SignatureReader();
  #import: LineImport | null = null;
  #blank = true;
  #failed = false;
  #ours = false;

  constructor(
    readonly exports: LinesPorts['exports'],
    readonly path: string,
    readonly number: number,
    readonly options: LinesOptions,
  ) {
    this.#splitter = new LineSplitter(path, LINE_LISTS);
    this.#remarks = new Remarks(`line ${number}`);
  }

  /** It failed, and neither begins like a line of an export nor states such a format. */
  get foreign(): boolean {
    return this.#failed && !this.#ours;
  }

  async push(text: string): Promise<void> {
    if (this.#failed || (this.#blank &&= text.trim() === '')) return;
    this.#hash.update(text);
    this.#signature.push(text);
    await this.#orFail(async () => {
      for (const part of this.#splitter.push(text)) {
        this.#ours ||= part.key === 'run' || part.key === 'format';
        this.#import ??= await this.exports.startLine();
        await this.#import.add(part);
      }
    });
  }

  /** Null: the line was empty. */
  async end(): Promise<DirectoryResult | null> {
    if (this.#blank) return null;
    const stored = this.#failed
      ? null
      : await this.#orFail(async () => {
          this.#splitter.end();
          const source = sourceOf(this.#signature.end(), this.options);
          this.#import ??= await this.exports.startLine();
          return this.#import.finish(this.#hash.digest('hex'), source);
        });
    this.#import = null;
    if (stored === null)
      return {
        ...{ source: `line ${this.number}`, outcome: 'failed', runId: null, steps: 0 },
        remarks: this.#remarks.all(),
      };
    const { kind, runId, steps } = stored;
    if (kind === 'changed')
      this.#remarks.failed(this.path, '', 'changed', `run ${runId} exists with other content and was left unchanged`);
    return { source: runId, outcome: kind, runId, steps, remarks: this.#remarks.all() };
  }

  /** Discards what is not stored. */
  async abandon(): Promise<void> {
    await this.#import?.abandon();
    this.#import = null;
  }

  async #orFail<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof UnreadableFile) {
        this.#ours ||= error.key === 'run';
        this.#remarks.failed(this.path, error.key, error.kind, error.message);
      } else if (error instanceof BenchError && error.type !== 'services')
        this.#remarks.failed(this.path, '', 'not_stored', [error.message, error.remedy].filter(Boolean).join('. '));
      else throw error;
      this.#failed = true;
      await this.abandon();
      return null;
    }
  }
}
