import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentCommands, compileTools } from './agent-commands.js';

compileTools();
let agent: AgentCommands;
beforeEach(() => void (agent = new AgentCommands()));
afterEach(() => agent.remove());

it('leaves a copy of the file under its hash, which is handed over once', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  writeFileSync(join(agent.workspace, 'a b.png'), bytes);
  const id = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  expect(await agent.output('view_image "a b.png"')).toBe(`[image file ${id}: a b.png, 256 bytes]`);
  await agent.output(`rm "a b.png"; view_image --bytes ${id} > copy`);
  expect(readFileSync(join(agent.workspace, 'copy'))).toEqual(bytes);
  expect(existsSync(join(agent.home, '.bench', 'images', id))).toBe(false);
  expect((await agent.shell(`view_image --bytes ${id}`)).exitCode).toBe(1);
});

it.each([
  ['view_image', 'Usage: view_image <path>'],
  ['view_image none.png', 'there is no file none.png'],
  ['view_image .', 'not a regular file'],
  ['mkfifo pipe; view_image pipe', 'not a regular file'],
  ['truncate -s 3145729 big.png; view_image big.png', 'has 3145729 bytes, and an image may have 3145728'],
  ['view_image --bytes ../../x', 'Usage'],
])('%s says what is wrong', async (script, answer) => expect(await agent.output(script)).toContain(answer));

it('a name cannot make up a line of its own', async () => {
  await agent.output("printf x > $'a\\n[image b: image'");
  expect(await agent.output("view_image $'a\\n[image b: image'")).toMatch(
    /^\[image file [0-9a-f]{16}: a\?\[image b: image, 1 bytes\]$/,
  );
});
