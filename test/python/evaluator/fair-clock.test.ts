import { expect, it } from 'vitest';
import { runPython } from './run-python.js';

/** A channel whose player waits for the CPU all the time (1) and answers after 1.5 seconds, or has it (0) and never answers; what comes of patience for 0.5. */
const answered = (share: number, order = { timeoutSeconds: 60 }, wallBound = 1000): Promise<unknown> =>
  runPython(`
import os, signal, time
from bench_tasks import channel as channels, fair_clock
from bench_tasks.rejected import PlayerFailed
begun = time.monotonic()
# The player's: what the kernel would say of it.
fair_clock.WALL_BOUND = ${wallBound}
fair_clock.run_delay = lambda pid: (time.monotonic() - begun) * ${share} if pid != os.getpid() else 0.0
to_player_read, to_player = os.pipe()
from_player, from_player_write = os.pipe()
pid = os.fork()
if pid == 0:
    os.read(to_player_read, 1)
    time.sleep(${share === 1 && wallBound > 4 ? 1.5 : 3600})
    os.write(from_player_write, b'!')
    os._exit(0)
order = {'playerPid': pid, 'ownContainer': False, **json.loads(${JSON.stringify(JSON.stringify(order))})}
channel = channels.Channel(order, from_player, to_player)
channel.patience = 0.5
try:
    with channel.attending(lambda: 'in a move'):
        print(json.dumps(channel.exchange(b'?', 1).decode()))
except PlayerFailed as failure:
    print(json.dumps([str(failure), failure.starved]))
os.kill(pid, signal.SIGKILL)
`);

it('an answer is late by the time that the submission had, not by what others took of the machine', async () => {
  expect(await answered(0)).toEqual(['The submission took longer than 0.5 s in a move', false]);
  expect(await answered(1)).toBe('!');
});

it('the time limit of the whole evaluation is counted in the same way', async () => {
  expect(await answered(0, { timeoutSeconds: 0.4 })).toEqual([
    'The time limit of 0.4 s for the whole evaluation ran out in a move',
    false,
  ]);
  expect(await answered(1, { timeoutSeconds: 0.4 })).toBe('!');
});

it('on whatever machine, four times the limit is the end, and it is said why', async () => {
  expect(await answered(1, { timeoutSeconds: 0.2 }, 4)).toEqual([
    'The time limit of 0.2 s for the whole evaluation ran out in a move',
    true,
  ]);
});

it('the kernel tells how long a process waited for its turn', async () => {
  const [had, wall] = (await runPython(`
import os, signal, time
from bench_tasks.fair_clock import FairClock
os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
children = []
for _ in range(4):
    pid = os.fork()
    if pid == 0:
        while True:
            pass
    children.append(pid)
clock, begun = FairClock(children[:1], False), time.monotonic()
time.sleep(1.5)
print(json.dumps([clock.seconds(), time.monotonic() - begun]))
for pid in children:
    os.kill(pid, signal.SIGKILL)
`)) as [number, number];
  expect(had).toBeLessThan(0.6 * wall);
});
