import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';

const AGENT = join(import.meta.dirname, '../../images/agent');

/** A loop with a timer, stopped right after it was set; prints how long it ran until it fired. */
const PROGRAM = `
import os, signal, sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, ${JSON.stringify(AGENT)})
from durable_shell.event_loop import EventLoop
ready, tell = os.pipe()
pid = os.fork()
if pid == 0:
    loop = EventLoop()
    begun = time.monotonic()
    def fire():
        print(time.monotonic() - begun, flush=True)
        os._exit(0)
    loop.after(2.0, fire)
    os.write(tell, b'x')
    loop.run_forever()
os.read(ready, 1)
os.kill(pid, signal.SIGSTOP)
time.sleep(float(sys.argv[1]))
os.kill(pid, signal.SIGCONT)
os.waitpid(pid, 0)
`;

it.each([1.5, 4])('what is due in two seconds is not due while the sandbox stands still for %s', async (seconds) => {
  const { stdout } = await execa('python3', ['-c', PROGRAM, String(seconds)]);
  // A piece of the loop's waiting may be taken for time that it had.
  expect(Number(stdout)).toBeGreaterThanOrEqual(seconds + 1.7);
});
