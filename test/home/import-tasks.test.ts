import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BenchHome, BUNDLED_CONFIGS } from '../setup/bench-home.js';
import { writeCheckout } from '../python/task-import/checkout.js';

const dir = mkdtempSync(join(tmpdir(), 'bench-test-import-'));
const home = new BenchHome({ BENCH_CONFIGS: BUNDLED_CONFIGS });
afterAll(async () => {
  await home.remove();
  rmSync(dir, { recursive: true, force: true });
});

/** Submits a class in its own module and its pickle, which the strategy loads: right each time. */
const WITH_A_PICKLE = [
  `cat > brain.py << 'END'
class Brain:
    def __init__(self):
        self.shift = 0
    def guess(self, i):
        return (i + self.shift) % 2
END`,
  `cat > strategy.py << 'END'
import os, pickle
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'brain.pkl'), 'rb') as file:
    guess = pickle.load(file).guess
END`,
  `python3 -c "import brain, pickle; pickle.dump(brain.Brain(), open('brain.pkl', 'wb'))"`,
  'submit',
];

describe('tasks of an MLGym checkout', () => {
  it('are imported into configs of their own, never into those of bench, and then play', async () => {
    const checkout = join(dir, 'checkout');
    const configs = join(dir, 'configs');
    writeCheckout(checkout);
    const bundled = await home.run('tasks', 'import', 'mlgym', checkout, '--into', BUNDLED_CONFIGS);
    expect(bundled.exitCode).toBe(2);
    expect(bundled.stderr).toContain('comes with bench');

    const found = await home.run('tasks', 'import', 'mlgym', checkout, '--into', configs);
    expect(found.exitCode).toBe(0);
    expect(found.stdout).toContain(
      `6 tasks of 12 are in ${join(configs, 'tasks')}. To use them: export BENCH_CONFIGS=`,
    );
    const named = await home.run('tasks', 'import', 'mlgym', checkout, '--into', configs, '--tasks', 'hub');
    expect(named.exitCode).toBe(1);

    home.env['BENCH_CONFIGS'] = configs;
    expect((await home.run('validate-config')).exitCode).toBe(0);
    const missing = await home.run(
      'submit',
      '--models',
      'scripted:baseline',
      '--tasks',
      'mlgym-absent',
      '--backend',
      'local',
    );
    expect(missing.stderr).toContain('bench tasks prepare mlgym-absent');
    const recording = join(dir, 'pickle.json');
    const steps = WITH_A_PICKLE.map((action, i) => ({
      ...{ step: i + 1, response: action, thought: '', action, observation: '' },
    }));
    writeFileSync(recording, JSON.stringify({ steps }));
    await home.json(
      ...['submit', '--models', `scripted:baseline,replay:${recording}`, '--tasks', 'mlgym-guess'],
      ...['--attempts', '2', '--backend', 'local', '--wait'],
    );
    const scored = (kind: string) =>
      home.sql<{ status: string; score: number }>(
        `select e.status, e.primary_score as score from evaluations e join runs r using (run_id)
         where r.task_id = 'mlgym-guess' and e.split = 'test' and r.model_kind = $1`,
        [kind],
      );
    expect(await scored('replay')).toEqual(Array(2).fill({ status: 'ok', score: 1 }));
    const [row] = await scored('scripted');
    expect(row?.status).toBe('ok');
    // A thousand fair coins: five standard deviations.
    expect(Math.abs(Number(row?.score) - 0.5)).toBeLessThan(0.08);
  });
});
