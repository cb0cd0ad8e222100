import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from '../setup/services-home.js';
import { startPostgres, type TestPostgres } from '../setup/postgres.js';

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

test('four processes may migrate the same database at once, with the SQL beside the compiled code', async () => {
  const url = await server.createEmptyDatabase();
  const compiled = new URL('../../dist/db/index.js', import.meta.url).href;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `const { migrate } = await import(${JSON.stringify(compiled)});
       console.log('ready');
       await new Promise((resolve) => process.stdin.once('data', resolve));
       console.log(JSON.stringify(await migrate(${JSON.stringify(url)})));
       process.exit(0);`,
    ]),
  );
  const complaints = children.map((child) => text(child.stderr));
  await Promise.all(children.map((child) => once(child.stdout, 'data')));
  const answers = children.map((child) => text(child.stdout));
  const ends = children.map((child) => once(child, 'exit') as Promise<[number]>);
  for (const child of children) child.stdin.end('go');
  expect(
    (await Promise.all(ends)).map(([code]) => code),
    (await Promise.all(complaints)).join(''),
  ).toEqual([0, 0, 0, 0]);
  const told = (await Promise.all(answers)).map(
    (answer) => JSON.parse(answer.replace('ready', '')) as { created: boolean },
  );
  expect(told.map(({ created }) => created).sort()).toEqual([false, false, false, true]);
  const [row] = (await query(
    url,
    'select count(*)::int as n, count(distinct hash)::int as d from drizzle.__drizzle_migrations',
  )) as { n: number; d: number }[];
  expect(row?.n).toBeGreaterThan(0);
  expect(row?.n).toBe(row?.d);
});
