import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { restoreTask } from '../../../catalog/task-archive.js';
import { homeLayout } from '../../../domain/home/layout.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bench-task-archive-'));
});
afterEach(() => rmSync(root, { recursive: true }));

test.each([
  [{ name: 'starter', type: 'symlink' as const, linkname: '..' }, 'symlink'],
  [{ name: 'x', type: 'link' as const, linkname: '/etc/passwd' }, 'link'],
  [{ name: 'x', type: 'character-device' as const }, 'character-device'],
  [{ name: 'x', type: 'fifo' as const }, 'fifo'],
  [{ name: '../../escaped' }, 'inside the folder'],
  [{ name: join(tmpdir(), 'bench-escaped') }, 'inside the folder'],
])('a task archive with the entry %o is refused, and nothing of it is left', async (entry, said) => {
  const layout = homeLayout(join(root, 'home'));
  const archive = pack();
  archive.entry(entry, '');
  archive.entry({ name: 'starter/escaped' }, 'x');
  archive.finalize();
  const restored = restoreTask(layout, { id: 't', hash: '0'.repeat(64) }, archive as AsyncIterable<Uint8Array>, () =>
    expect.unreachable(),
  );
  await expect(restored).rejects.toThrow(said);
  expect(readdirSync(layout.tasks)).toEqual([]);
  expect(readdirSync(root)).toEqual(['home']);
  expect(existsSync(join(tmpdir(), 'bench-escaped'))).toBe(false);
});
