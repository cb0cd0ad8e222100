import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ImportDocument } from '../../domain/views/imports.js';
import { newBatchId, newRunId } from '../../domain/ids.js';
import type { AttackGround, AttackOutcome } from './attack-run.js';

type Row = Record<string, unknown>;
interface Line {
  batch: Row;
  task: Row;
  run: Row;
  signature?: Row;
  [list: string]: Row | Row[] | null | undefined;
}

/** The line with other ids throughout, and no signature. */
function asNew(line: Line): Line {
  const { signature: _, ...unsigned } = line;
  const text = JSON.stringify(unsigned)
    .replaceAll(String(line.run['run_id']), newRunId())
    .replaceAll(String(line.batch['batch_id']), newBatchId());
  return JSON.parse(text) as Line;
}

interface Leaderboard {
  rows: { model: string; rank: number | null; unranked: string | null }[];
}

/** Attacks without a run: files and queries given to people. `of`: a run of the batch they use. */
export function attacksFromOutside(ground: () => AttackGround, of: () => AttackOutcome): void {
  it('lines that forge isolation, batches, contracts or scores are left out, or listed without a rank', async () => {
    const { home } = ground();
    const { batchId } = of();
    const exported = join(home.dir, 'exported.jsonl');
    await home.json('export', batchId, '--format', 'jsonl', '-o', exported);
    const texts = readFileSync(exported, 'utf8').trim().split('\n');
    const text = texts[0] ?? '';
    const line = JSON.parse(text) as Line;
    const table = () => home.json<Leaderboard>('leaderboard', '--batch', batchId);
    const all = () => home.json<Leaderboard>('leaderboard', '--batch', 'all');
    const [before, beforeAll] = [await table(), await all()];

    const isolated = asNew(line);
    Object.assign(isolated.run, { isolation: 'container', model_name: 'forged-model', model_kind: 'real' });
    // A batch that verifies a task would be listed by itself.
    isolated.batch['verification'] = false;
    await home.sql('drop trigger share_games on batches');
    const own = asNew(line);
    // Everywhere: rows of faults name their batch, too.
    const foreign = JSON.parse(JSON.stringify(own).replaceAll(String(own.batch['batch_id']), batchId)) as Line;
    const contract = asNew(line);
    contract.run['contract'] = contract.task['contract'] = 99;
    contract.run['task_hash'] = contract.task['content_hash'] = 'of contract 99';
    if (contract['baseline']) (contract['baseline'] as Row)['content_hash'] = 'of contract 99';
    const replacing = asNew(line);
    replacing.run['replaces'] = line.run['run_id'];
    const changed = text.replace(/"final_score": ?[-\d.]+/, '"final_score": 0.99');
    expect(changed).not.toBe(text);
    const forged = join(home.dir, 'forged.jsonl');
    const lines = [isolated, foreign, contract, replacing].map((one) => JSON.stringify(one));
    writeFileSync(forged, [...lines, changed].join('\n'));

    const { exitCode, stdout } = await home.run('import', 'jsonl', forged, '--json');
    expect(exitCode).toBe(1);
    const { results } = JSON.parse(stdout) as ImportDocument;
    expect(
      results.map(({ outcome, remarks }) => [outcome, ...remarks.map(({ message }) => message)].join(': ')),
    ).toEqual([
      'imported',
      expect.stringMatching(/^failed: batch b-\w+ was played here/),
      expect.stringMatching(/^failed: contract 99 of task \w+/),
      expect.stringMatching(/^failed: .*(replace|played here)/),
      expect.stringMatching(/^failed: .*(changed after|other content)/),
    ]);
    expect(await table()).toEqual(before);
    const after = await all();
    expect(after.rows.filter(({ rank }) => rank !== null)).toEqual(beforeAll.rows.filter(({ rank }) => rank !== null));
    expect(after.rows.filter(({ model }) => model === 'forged-model')).toMatchObject([
      { rank: null, unranked: 'import' },
    ]);
  });

  it.each([
    'select pg_advisory_lock(1)',
    `select query_to_xml('select pg_advis'||'ory_lock(1)', true, true, '')`,
    `select U&"pg\\005fnotify"('bench', 'x')`,
  ])('a query that only reads takes no lock and sends nothing: %s', async (query) => {
    const { exitCode, stderr } = await ground().home.run('sql', query);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('permission denied for function')]);
  });
}
