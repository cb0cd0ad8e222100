import { afterAll, beforeAll, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';

let home: BenchHome;
beforeAll(() => {
  home = new BenchHome({ BENCH_EVALUATIONS: '1' });
});
afterAll(() => home.remove());

it('a host takes no more evaluations at once than it is told, however many runs ask', async () => {
  const matrix = ['--models', 'scripted:baseline', '--tasks', 'battleOfSexes', '--attempts', '5', '--concurrency', '5'];
  const { batchId } = await home.json<{ batchId: string }>('submit', ...matrix, '--backend', 'local', '--wait');
  const rows = await home.sql<{ runs: number; overlaps: number }>(
    `with those as (select e.run_id, e.created_at, e.ended_at from evaluations e join runs r using (run_id)
                    where r.batch_id = $1 and e.status = 'ok')
     select (select count(distinct run_id)::int from those) as runs, count(*)::int as overlaps
     from those a join those b on a.run_id < b.run_id and a.created_at < b.ended_at and b.created_at < a.ended_at`,
    [batchId],
  );
  expect(rows).toEqual([{ runs: 5, overlaps: 0 }]);
});
