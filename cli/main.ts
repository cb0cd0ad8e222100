import { runCommand } from './run-command.js';

// The composition root for people: the only place of the CLI that reads the environment.
const { argv, env, stdout, stderr } = process;

/** A reader that stops reading results, like `| head`, is no failure; one that stops reading the log changes nothing. */
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
stderr.on('error', () => undefined);

const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => resolve()));

void runCommand(argv.slice(2), { env, cwd: process.cwd(), stdout, stderr }).then(async (exitCode) => {
  await Promise.all([flushed(stdout), flushed(stderr)]);
  process.exit(exitCode);
});
