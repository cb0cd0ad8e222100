// Two homes in one process, each with its own services and records.  node two-homes.mjs [folder]
import { join } from 'node:path';
import { openBench } from 'durabench';

const folder = process.argv[2] ?? '.';
const homes = ['one', 'two'].map((name) => openBench({ home: join(folder, name) }));
try {
  for (const [nth, bench] of homes.entries())
    await bench.batches.submit({ models: ['scripted:clumsy'], tasks: ['blotto'], attempts: nth + 1, backend: 'local' });
  for (const bench of homes) {
    const { rows } = await bench.sql('select count(*)::int as runs from runs');
    console.log(bench.settings.home, rows[0]);
  }
} finally {
  for (const bench of homes) {
    await bench.down();
    await bench.close();
  }
}
