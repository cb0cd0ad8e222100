import { runCommand } from './run-command.js';

// The composition root for people: only this part of the CLI reads the environment.
const { argv, env, stdout, stderr } = process;

/** A reader that closes stdout, like `| head`, is no failure; closing stderr changes nothing. */
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
stderr.on('error', () => undefined);

const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => resolve()));

void runCommand(argv.slice(2), { env, cwd: process.cwd(), stdout, stderr }).then(async (exitCode) => {
  await Promise.all([flushed(stdout), flushed(stderr)]);
  process.exit(exitCode);
});
