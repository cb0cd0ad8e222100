import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A temporary folder with these files in it, for a test that calls this; removed after it. */
export function folder(files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'bench-registry-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

export const taskYaml = `schema: 1
id: coin
name: Coin
contract: 1
domain: games
description: Guess the coin; {{ commandSeconds }} seconds per command.
metrics:
  payoff:
    direction: maximize
    description: mean payoff
    bounds: { min: 0, max: 1 }
primary: payoff
submission:
  files: [strategy.py]
evaluator:
  kind: game
  module: strategy
  function: play
`;

export const agentYaml = `schema: 1
description: an agent
systemTemplate: work in {{ workspace }}
taskTemplate: "{{ task.description }} step {{ currentStep }}"
nextStepTemplate: "{{ observation }}"
formatErrorTemplate: "{{ problem }}"
`;

/** A configs folder with the task `coin` and the agent `plain`, and what else is given. */
export const configs = (files: Record<string, string> = {}): string =>
  folder({
    'tasks/coin/task.yaml': taskYaml,
    'tasks/coin/starter/strategy.py': 'def play():\n    return 0\n',
    'tasks/coin/evaluator/referee.py': 'secret = 1\n',
    'agents/plain.yaml': agentYaml,
    ...files,
  });
