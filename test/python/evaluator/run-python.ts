import { join } from 'node:path';
import { execa } from 'execa';

const programs = join(import.meta.dirname, '..', '..', '..', 'images', 'evaluator');

/** Run Python with the referee's library at hand; returns what it prints as JSON. */
export async function runPython(code: string): Promise<unknown> {
  const prelude = `import json, sys\nsys.dont_write_bytecode = True\nsys.path.insert(0, ${JSON.stringify(programs)})\n`;
  const { stdout } = await execa('python3', ['-c', prelude + code]);
  return JSON.parse(stdout);
}
