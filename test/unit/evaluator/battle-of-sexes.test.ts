import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { promptVariables } from '../../../domain/agent/messages.js';
import { taskSchema } from '../../../domain/task.js';

const dir = join(import.meta.dirname, '..', '..', '..', 'configs', 'tasks', 'battleOfSexes');
const task = taskSchema.parse(parse(readFileSync(join(dir, 'task.yaml'), 'utf8')));
const text = (file: string): string => readFileSync(join(dir, file), 'utf8');

describe('the task battleOfSexes', () => {
  it('declares the metric it is ranked by, with bounds around the exact optimum', () => {
    expect(Object.keys(task.metrics)).toEqual([task.primary]);
    const bounds = task.metrics[task.primary]?.bounds;
    expect(bounds?.min).toBe(0);
    expect(bounds?.max).toBeGreaterThan(1.44 + 5 * 0.0024);
    expect(bounds?.max).toBeLessThan(1.5);
  });

  it('starts the agent with every file that it must submit', () => {
    for (const file of task.submission.files) expect(text(`starter/${file}`)).toContain(task.evaluator.function);
  });

  it('tells the agent the rules and limits that the referee keeps, and nothing of the opponent', () => {
    const run = { task, agent: {} as never, maxSteps: 50 };
    const shown = (promptVariables(run, '/w')['task'] as { description: string }).description;
    const referee = text('evaluator/referee.py');
    expect(referee).toContain('ROUNDS = 10\nGAMES = 10_000');
    for (const fact of ['10 rounds', '10,000', '2, 1', '1, 2', `${task.evaluator.timeoutSeconds} seconds`])
      expect(shown).toContain(fact);
    expect(`${shown}${text('starter/strategy.py')}`).not.toMatch(/0\.8|80 ?%|first[- ]round move|first move of/);
  });
});
