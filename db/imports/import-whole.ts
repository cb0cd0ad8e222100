import type { ImportOutcome, ImportOptions } from '../../domain/ports/imports.js';
import { DEFAULT_PROJECT } from '../../domain/home/project.js';
import type pg from 'pg';
import { BenchError } from '../../domain/errors.js';
import { newBatchId } from '../../domain/ids.js';
import { errorFields, queryError } from '../database-error.js';

export interface ImportedContent {
  source: string;
  contentHash: string;
}

interface ImportedBatches {
  origin: 'mlgym' | 'import';
  imported: string;
  remedy: string;
}

export interface ImportWriters {
  batch: ImportedBatches;
  /** Writes the run into the locked batch, and its row of `imports`. */
  store: (sql: Sql, batchId: string) => Promise<{ runId: string; attempt: number; taskBaseline: number | null }>;
  explain?: (error: { constraint?: string | undefined; message: string }) => BenchError | null;
}

/** In one transaction, once per content. Throws BenchError (usage) if the batch has other runs. */
export async function importWhole(
  pool: pg.Pool,
  run: ImportedContent,
  options: ImportOptions,
  { batch, store, explain }: ImportWriters,
): Promise<ImportOutcome> {
  const client = await pool.connect();
  const sql = client.query.bind(client) as unknown as Sql;
  try {
    await sql('begin');
    const known = await knownRun(sql, run, options.batch);
    if (known !== null) {
      await sql('rollback');
      return known;
    }
    const batchId = await batchFor(sql, options.batch, batch);
    const stored = await store(sql, batchId);
    await sql('update batches set ended_at = now() where batch_id = $1', [batchId]);
    await sql(options.dryRun ? 'rollback' : 'commit');
    return { kind: 'imported', batchId, ...stored };
  } catch (error) {
    await sql('rollback').catch(() => undefined);
    const { code, constraint, message } = errorFields(error);
    // A concurrent import stored the same content in another batch.
    if (constraint === 'imports_content_unique') {
      const known = await knownRun(sql, run, options.batch);
      if (known !== null) return known;
    }
    throw code === undefined
      ? error
      : (explain?.({ constraint, message }) ?? queryError(`importing ${run.source}`, error));
  } finally {
    client.release();
  }
}

export type Sql = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<{ rows: Row[] }>;

async function knownRun(sql: Sql, run: ImportedContent, batch: string): Promise<ImportOutcome | null> {
  const { rows } = await sql<{ runId: string; batchId: string; batch: string | null; same: boolean }>(
    `select i.run_id as "runId", i.batch_id as "batchId", b.name as batch, i.content_hash = $1 as same
     from imports i join batches b on b.batch_id = i.batch_id
     where i.content_hash = $1 or (b.project = $4 and b.name = $2 and i.source = $3)
     order by i.content_hash = $1 desc limit 1`,
    [run.contentHash, batch, run.source, DEFAULT_PROJECT],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { runId, batchId, batch: name } = row;
  return row.same ? { kind: 'existing', runId, batchId, batch: name } : { kind: 'changed', runId, batchId };
}

/** Locked: imports into a batch take turns. */
async function batchFor(sql: Sql, name: string, { origin, imported, remedy }: ImportedBatches): Promise<string> {
  await sql(
    `insert into batches (batch_id, project, name, origin, spec, seed, concurrency, status, ended_at)
     values ($1, $2, $3, $4, $5, 0, 1, 'ended', now()) on conflict (project, name) do nothing`,
    [newBatchId(), DEFAULT_PROJECT, name, origin, JSON.stringify({ imported })],
  );
  const { rows } = await sql<{ batchId: string; fits: boolean }>(
    `select batch_id as "batchId", origin = $2 and (origin <> 'import' or spec ->> 'imported' = $3) as fits
     from batches where project = $4 and name = $1 for update`,
    [name, origin, imported, DEFAULT_PROJECT],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`batch ${name} was not stored`);
  if (!row.fits)
    throw new BenchError(
      'usage',
      `batch "${name}" holds other runs, played here or imported in another form (${row.batchId})`,
      {
        ...{ code: 'batch.imported', remedy },
        fields: { batch: true },
      },
    );
  return row.batchId;
}
