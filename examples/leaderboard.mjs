// Submit a batch, follow it, print the leaderboard.  node leaderboard.mjs [home]
import { openBench } from 'durabench';

const bench = openBench({ home: process.argv[2] ?? './bench-home' });
try {
  const batch = await bench.batches.submit({
    models: ['scripted:baseline', 'scripted:optimum'],
    tasks: ['battleOfSexes'],
    attempts: 2,
    backend: 'local',
  });
  for await (const progress of bench.batches.follow(batch.batchId))
    if (progress.kind === 'report') console.error(`${progress.report.ended} of ${progress.report.runs} runs ended`);

  const { rows } = await bench.leaderboard({ batch: batch.batchId, include: ['scripted', 'local'] });
  for (const { rank, model, bestAup } of rows) console.log(rank, model, bestAup);
} finally {
  await bench.close();
}
