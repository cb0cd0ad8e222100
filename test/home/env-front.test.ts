import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';

const home = new BenchHome();
afterAll(() => home.remove());

const serve = () => home.start('env', 'serve', '--backend', 'local', '--allow-local', '--port', '0');

async function frontOf(command: ReturnType<typeof serve>): Promise<number> {
  if (command.stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: command.stdout })) return (JSON.parse(line) as { pid: number }).pid;
  throw new Error(`bench env serve ended: ${String((await command).stderr)}`);
}

it('`bench env serve` fails when its front process dies, and not when it is stopped', async () => {
  const killed = serve();
  process.kill(await frontOf(killed), 'SIGKILL');
  const { exitCode, stderr } = await killed;
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('the server was ended by SIGKILL')]);

  const stopped = serve();
  await frontOf(stopped);
  stopped.kill('SIGTERM');
  expect((await stopped).exitCode).toBe(0);
});
