import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { END_REASONS, FINAL_EVALUATIONS, mlgymExitStatus } from '../../domain/run/outcomes.js';
import { type Database, openDatabase } from '../../db/index.js';
import { evaluate, run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
let sql: pg.Client;
beforeAll(async () => {
  const url = await server.createDatabase();
  db = openDatabase(url);
  sql = new pg.Client({ connectionString: url });
  await sql.connect();
});
afterAll(async () => {
  await sql.end();
  await db.close();
});

const rows = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
  (await sql.query<Row>(text, values)).rows;

describe('ends of runs', () => {
  test('have the same status in SQL as in the program', async () => {
    const found = await rows<{ end_reason: string; final_evaluation: string; status: string }>(
      `select e as end_reason, f as final_evaluation, mlgym_exit_status(e, f) as status
       from unnest($1::text[]) with ordinality a (e, i), unnest($2::text[]) with ordinality b (f, j) order by i, j`,
      [[...END_REASONS], [...FINAL_EVALUATIONS]],
    );
    const inProgram = END_REASONS.flatMap((end_reason) =>
      FINAL_EVALUATIONS.map((final_evaluation) => ({
        ...{ end_reason, final_evaluation },
        status: mlgymExitStatus(end_reason, final_evaluation),
      })),
    );
    expect(found).toEqual(inProgram);
  });

  const labelled: Record<string, string[]> = {
    submitted: ['Success'],
    'autosubmission (max_steps)': ['Max Steps'],
    'autosubmission (exit_context)': ['Context'],
    'autosubmission (exit_cost)': ['Cost'],
    'autosubmission (exit_format)': ['Format'],
    'autosubmission (exit_api)': ['API'],
    'submission_not_found (exit_cost)': ['Evaluation', 'Cost'],
    'evaluation_format_error (exit_context)': ['Evaluation', 'Context'],
    'evaluation_format_error (exit_format)': ['Evaluation', 'Format'],
    'submission_not_found (max_steps)': ['Evaluation'],
    'evaluation_format_error (submit)': ['Evaluation', 'Submit'],
    'submission_not_found (submit)': ['Evaluation'],
    'unknown_error (validate)': ['Evaluation'],
    'unknown_error (open "a b" 0)': ['Permission'],
    'unknown_error (openssl x)': ['Runtime'],
    'unknown_error (python train.py)': ['Runtime'],
    early_exit: ['Runtime'],
    skipped: ['Other'],
    exit_forfeit: ['Other'],
    'autosubmission (wall_time)': ['Other'],
    'evaluation_format_error (exit_api)': ['Other'],
    'ValueError, bad (submit), (submit)': ['Other'],
    '': ['Other'],
  };
  test('have one or two labels', async () => {
    const found = await rows<{ status: string; labels: string[] }>(
      'select status, exit_labels(status) as labels from unnest($1::text[]) status',
      [Object.keys(labelled)],
    );
    expect(Object.fromEntries(found.map(({ status, labels }) => [status, labels]))).toEqual(labelled);
    expect(await rows('select exit_labels(null) as labels')).toEqual([{ labels: ['Unknown'] }]);
  });

  test('are failed without a score, complete by submitting or using all steps, else incomplete', async () => {
    const played = [
      ['submit', 'ok', true],
      ['max_steps', 'rejected', true],
      ['max_steps', 'ok', true],
      ['submit', 'no_artefact', false],
      ['wall_time', 'not_run', true],
      ['infra_error', 'not_run', false],
      ['infra_error', 'not_run', false],
      ['submit', 'ok', true],
    ] as const;
    const batch = submission(null, (id) => played.map((_, i) => run(id, task('ends'), 'm', i + 1)));
    await db.intake.submit(batch);
    for (const [i, [endReason, finalEvaluation, scored]] of played.entries()) {
      const { runId } = batch.runs[i]!;
      if (scored) await evaluate(db, runId, 1, 'validate', 0.5);
      await evaluate(db, runId, 2, 'validate', 'rejected');
      await db.store.finishRun(runId, { endReason, finalEvaluation, detail: null });
    }
    const found = await rows('select status, labels, outcome from run_exits where batch_id = $1 order by attempt', [
      batch.batch.batchId,
    ]);
    expect(found).toEqual([
      { status: 'submitted', labels: ['Success'], outcome: 'complete' },
      { status: 'evaluation_format_error (max_steps)', labels: ['Evaluation'], outcome: 'incomplete' },
      { status: 'autosubmission (max_steps)', labels: ['Max Steps'], outcome: 'complete' },
      { status: 'submission_not_found (submit)', labels: ['Evaluation'], outcome: 'failed' },
      { status: 'wall_time', labels: ['Other'], outcome: 'incomplete' },
      { status: 'infra_error', labels: ['Other'], outcome: 'failed' },
      { status: 'infra_error', labels: ['Other'], outcome: 'failed' },
      { status: 'submitted', labels: ['Success'], outcome: 'complete' },
    ]);
    const columns = 'end_reason, final_evaluation, status, labels, outcome';
    const counted = await rows(
      `select ${columns}, runs from batch_exits where batch_id = $1 order by runs, end_reason, status`,
      [batch.batch.batchId],
    );
    expect(counted.map(({ runs }) => Number(runs))).toEqual([1, 1, 1, 1, 2, 2]);
    expect(counted).toEqual(
      await rows(
        `select ${columns}, count(*) as runs from run_exits where batch_id = $1
         group by end_reason, final_evaluation, status, labels, outcome order by runs, end_reason, status`,
        [batch.batch.batchId],
      ),
    );
  });
});

describe('actions', () => {
  const categories: [action: string | null, compat: string, strict: string][] = [
    ['edit 1:2\nx = 1\nend_of_edit', 'Edit', 'Edit'],
    ['edit_config.sh', 'Edit', 'Bash'],
    [' \n create a.py', 'Edit', 'Edit'],
    ['open a.py', 'View', 'View'],
    ['openssl rand 4', 'View', 'Bash'],
    ['scroll_down', 'View', 'View'],
    ['validate', 'Validate', 'Validate'],
    ['submit', 'Submit', 'Submit'],
    ['find_file x', 'Search', 'Search'],
    ['find . -name x', 'Bash', 'Bash'],
    ['python train.py', 'Python', 'Python'],
    ['python3 train.py', 'Python', 'Python'],
    ['pythonic', 'Python', 'Bash'],
    ['cd src && python train.py', 'Bash', 'Python'],
    ['cd src && A=1 B="two words" python train.py', 'Bash', 'Python'],
    ['CUDA_VISIBLE_DEVICES=0 torchrun x.py', 'Bash', 'Python'],
    ['cd src; python train.py', 'Bash', 'Bash'],
    ['A=1', 'Bash', 'Bash'],
    ['validate;', 'Validate', 'Validate'],
    ['exit_format', 'Bash', 'End'],
    ['exit_cost', 'Bash', 'End'],
    ['exit', 'Bash', 'Bash'],
    ['', 'Bash', 'Bash'],
    [null, 'Bash', 'End'],
  ];
  test('have a category by how their text begins, and a strict one by their first word', async () => {
    const found = await rows<{ action: string | null; compat: string; strict: string }>(
      `select action, action_category(action) as compat, action_category_strict(action) as strict
       from unnest($1::text[]) with ordinality a (action, i) order by i`,
      [categories.map(([action]) => action)],
    );
    expect(found.map(({ action, compat, strict }) => [action, compat, strict])).toEqual(categories);
  });

  test('need the whole of a word that begins a category, and no more', async () => {
    const words = {
      Edit: ['create', 'edit', 'insert'],
      View: ['open', 'goto', 'scroll_up', 'scroll_down'],
      Validate: ['validate'],
      Submit: ['submit'],
      Search: ['search_dir', 'search_file', 'find_file'],
      Python: ['torchrun', 'python', 'accelerate', 'deepspeed'],
    };
    const expected = Object.entries(words).flatMap(([category, begins]) =>
      begins.flatMap((word) => [
        [`\t${word}ed x`, category],
        [word.slice(0, -1), 'Bash'],
        [`x${word}`, 'Bash'],
      ]),
    );
    const found = await rows<{ action: string; category: string }>(
      `select action, action_category(action) as category from unnest($1::text[]) with ordinality a (action, i) order by i`,
      [expected.map(([action]) => action)],
    );
    expect(found.map(({ action, category }) => [action, category])).toEqual(expected);
  });

  test('are counted per run, model, task and step', async () => {
    const batch = submission(null, (id) => [run(id, task('acts'), 'm', 1), run(id, task('acts'), 'm', 2)]);
    await db.intake.submit(batch);
    for (const { runId } of batch.runs)
      for (const [i, action] of ['ls', 'edit 1:1', 'submit'].entries())
        await db.store.saveAction(runId, i + 1, { response: '', thought: '', action, modelMs: 1 });
    const found = await rows(
      `select model, task, step, category, count(*)::int as steps from step_actions where batch_id = $1
       group by 1, 2, 3, 4 order by step`,
      [batch.batch.batchId],
    );
    expect(found).toEqual([
      { model: 'm', task: 'acts', step: 1, category: 'Bash', steps: 2 },
      { model: 'm', task: 'acts', step: 2, category: 'Edit', steps: 2 },
      { model: 'm', task: 'acts', step: 3, category: 'Submit', steps: 2 },
    ]);
  });
});

describe('costs by a list of prices', () => {
  test('come from the tokens, and are unknown, not 0, without a price', async () => {
    const batch = submission(null, (id) =>
      ['gpt4o2', 'gpt4o2', 'unheard-of'].map((model, i) => run(id, task('prices'), model, i + 1)),
    );
    await db.intake.submit(batch);
    const [first, , other] = batch.runs.map(({ runId }) => runId);
    await sql.query(
      `update runs set input_tokens = 100000, output_tokens = 2000, cost_usd = 1.5 where run_id = any ($1)`,
      [[first, other]],
    );
    const found = await rows(
      `select model, runs::int, trim_scale(mean_list_usd)::text as list, trim_scale(recorded_usd)::text as recorded,
         mean_input_tokens::int as input
       from model_costs('mlgym', $1) order by model`,
      [batch.batch.batchId],
    );
    expect(found).toEqual([
      { model: 'gpt4o2', runs: 2, list: '0.135', recorded: '1.5', input: 50_000 },
      { model: 'unheard-of', runs: 1, list: null, recorded: '1.5', input: 100_000 },
    ]);
    expect(await rows(`select distinct list_usd from run_costs('no such list')`)).toEqual([{ list_usd: null }]);
  });

  test('go by the day of the run, and cached input may cost less', async () => {
    await sql.query(
      `insert into price_lists (list, model, input_usd, output_usd, cached_input_usd, valid_from, valid_until) values
         ('mine', 'dated', 1, 1, null, '-infinity', '2024-01-01'),
         ('mine', 'dated', 2, 4, 1, '2024-01-01', null)`,
    );
    const batch = submission(null, (id) => [1, 2].map((attempt) => run(id, task('prices'), 'dated', attempt)));
    await db.intake.submit(batch);
    await sql.query(
      `update runs set input_tokens = 3000000, cached_tokens = 1000000, output_tokens = 1000000,
         created_at = case attempt when 1 then '2023-12-31T23:00Z' else '2024-01-01T01:00Z' end::timestamptz
       where batch_id = $1`,
      [batch.batch.batchId],
    );
    const found = await rows<{ usd: string }>(
      `select trim_scale(list_usd)::text as usd from run_costs('mine') where batch_id = $1 order by 1`,
      [batch.batch.batchId],
    );
    expect(found.map(({ usd }) => usd)).toEqual(['4', '9']);
    await expect(
      sql.query(`insert into price_lists (list, model, input_usd, output_usd) values ('mine', 'x', -1, 1)`),
    ).rejects.toMatchObject({ code: '23514' });
  });
});
