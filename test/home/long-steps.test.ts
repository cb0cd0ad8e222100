import { afterAll, beforeAll, expect, it } from 'vitest';
import { addStatedTask } from '../fixtures/stated-task.js';
import { BenchHome } from '../setup/bench-home.js';
import { PROTOCOLS, type Protocol } from '../setup/protocol-players.js';
import { EnvServer } from '../setup/env-server.js';

/** BENCH_LONG_STEP_SECONDS asks for another time. */
const SECONDS = Number(process.env['BENCH_LONG_STEP_SECONDS'] ?? 1800);

let home: BenchHome;
let server: EnvServer;
beforeAll(async () => {
  home = new BenchHome();
  addStatedTask(home.dir, 2 * SECONDS + 60);
  server = new EnvServer(home, ['--tasks', 'stated']);
  await server.start();
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

it.concurrent.each(Object.keys(PROTOCOLS) as Protocol[])(
  `a command of ${SECONDS} s over %s is executed once, and no answer is another's`,
  async (protocol) => {
    const episode = await PROTOCOLS[protocol](server, { task: 'stated' });
    const printed = async (command: string): Promise<string> => (await episode.act(command)).message;
    expect(await printed('echo begin')).toMatch(/^begin\n/);
    expect(await printed(`echo x >> marks; sleep ${SECONDS}; echo slept $(wc -l < marks)`)).toMatch(/^slept 1\n/);
    expect(await printed('echo after $(wc -l < marks)')).toMatch(/^after 1\n/);
    expect(await episode.act('submit')).toMatchObject({ done: true, fault: null });
  },
  (SECONDS + 900) * 1000,
);
