import { text } from 'node:stream/consumers';
import { runSupervisor } from './supervisor.js';
import { supervisorOptionsSchema } from './supervisor-options.js';

/**
 * Entry of the supervisor's process, a light one without the command line's modules. Options come by stdin, since they
 * may hold keys; `--guardian <pid>` and `--again` come from the shell that started it (start-supervisor.ts).
 * Exit code 0: ended on purpose, do not start it again.
 */
async function main(): Promise<void> {
  const guardianAt = process.argv.indexOf('--guardian');
  const options = supervisorOptionsSchema.parse({
    ...(JSON.parse(await text(process.stdin)) as object),
    again: process.argv.includes('--again'),
    guardianPid: guardianAt < 0 ? null : Number(process.argv[guardianAt + 1]),
  });
  await runSupervisor(options);
  process.exit(0);
}

void main();
