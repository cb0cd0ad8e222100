import { execa } from 'execa';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { GUARDIAN } from '../../../services/start-supervisor.js';

const dir = mkdtempSync(join(tmpdir(), 'bench-guardian-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const program = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
};

/** A clock that only the stand-in supervisor moves; pauses take no time and are recorded. */
program('date', `cat ${dir}/now`);
program('sleep', `echo "$1" >> ${dir}/pauses`);
const supervisor = program(
  'supervisor',
  `cat > ${dir}/options
   read -r lived < ${dir}/lives || exit 0
   sed -i 1d ${dir}/lives
   echo $(($(cat ${dir}/now) + lived)) > ${dir}/now
   exit 137`,
);

it('starts a killed supervisor again after pauses that double, from the beginning after a healthy minute', async () => {
  writeFileSync(join(dir, 'now'), '1000\n');
  writeFileSync(join(dir, 'lives'), '1\n2\n1\n61\n1\n');
  await execa('/bin/sh', ['-c', GUARDIAN, 'guardian', supervisor, 'entry', dir, 'start'], {
    env: { PATH: `${dir}:${process.env['PATH'] ?? ''}` },
    input: '{"key":"a\\\\b"}\n',
  });
  expect(readFileSync(join(dir, 'pauses'), 'utf8').trim().split('\n')).toEqual(['1', '2', '4', '1', '2']);
  expect(readFileSync(join(dir, 'options'), 'utf8')).toBe('{"key":"a\\\\b"}');
});
