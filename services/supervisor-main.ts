import { text } from 'node:stream/consumers';
import { runSupervisor } from './supervisor.js';
import { supervisorOptionsSchema } from './supervisor-options.js';

/**
 * Entry of the supervisor, without the CLI's modules. Options, which may have keys, come by stdin;
 * `--guardian <pid>` and `--again` from its shell (start-supervisor.ts). Exit code 0: ended on
 * purpose.
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
