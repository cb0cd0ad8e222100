import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { SOURCES } from '../../setup/built-dist.js';

it('a checkout is built again when anything changed that the build reads', () => {
  const script = readFileSync(resolve(import.meta.dirname, '../../../bench'), 'utf8');
  const [, list = ''] = /&& find (.*?) -newer/s.exec(script) ?? [];
  expect(list.split(/[\s\\]+/)).toEqual(expect.arrayContaining([...SOURCES]));
});
