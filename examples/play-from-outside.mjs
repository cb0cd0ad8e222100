// Play a run yourself, as a trainer would: take its questions, give it answers.  node play-from-outside.mjs [home]
import { setTimeout as sleep } from 'node:timers/promises';
import { openBench } from 'durabench';

const COMMANDS = ['cat strategy.py', 'validate', 'submit'];
const bench = openBench({ home: process.argv[2] ?? './bench-home' });
try {
  const { batchId } = await bench.batches.submit({
    models: ['external'],
    tasks: ['battleOfSexes'],
    attempts: 1,
    backend: 'local',
  });
  for (let status = 'queued'; status !== 'ended';) {
    for (const turn of await bench.turns.open(batchId)) {
      const command = COMMANDS[turn.step - 1] ?? 'submit';
      await bench.turns.answer(turn, { text: `DISCUSSION\nStep ${turn.step}.\n\`\`\`\n${command}\n\`\`\`` });
    }
    ({ status } = await bench.batches.status(batchId));
    await sleep(200);
  }
  const [run] = (await bench.batches.status(batchId)).runList;
  console.log(run.endReason, run.finalScore);
} finally {
  await bench.close();
}
