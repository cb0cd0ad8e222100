import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { AgentCommands, compileTools } from './agent-commands.js';

compileTools();

let tools: AgentCommands | undefined;
afterEach(() => tools?.remove());

/** Numbers below `bound`, the same ones for the same seed. */
function randomly(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

it.each([1, 2, 3])(
  'any sequence of edits leaves what a list of lines would hold (seed %i)',
  { timeout: 900_000 },
  async (seed) => {
    tools = new AgentCommands();
    const below = randomly(seed);
    const path = join(tools.workspace, 'f');
    let lines = ['one', 'two', 'three', 'four'];
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
    const script = ['open f'];
    const expected: string[] = [];
    for (let n = 0; n < 25; n += 1) {
      const body = Array.from(
        { length: below(4) },
        (_, i) => ['', '  x', `é ${n}.${i}`, '$HOME `x` \\', '1:a'][below(5)]!,
      );
      if (below(3) === 0) {
        const after = below(lines.length + 3);
        script.push(`insert ${after} <<'END'\n${body.map((line) => `${line}\n`).join('')}END`);
        lines = [...lines.slice(0, after), ...body, ...lines.slice(after)];
      } else {
        const start = 1 + below(lines.length + 3);
        const end = below(lines.length + 4);
        script.push(`edit ${start}:${end} <<'END'\n${body.map((line) => `${line}\n`).join('')}END`);
        lines = [...lines.slice(0, start - 1), ...body, ...lines.slice(Math.max(end, start - 1))];
      }
      script.push(`cp f f.${n}`);
      expected.push(lines.map((line) => `${line}\n`).join(''));
    }
    await tools.output(script.join('\n'));
    for (const [n, content] of expected.entries()) {
      expect(readFileSync(join(tools.workspace, `f.${n}`), 'utf8'), `after ${script[2 * n + 1]}`).toBe(content);
    }
  },
);
