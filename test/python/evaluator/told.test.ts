import { expect, it } from 'vitest';
import { runPython } from './run-python.js';

const lastWords = (stderr: string): Promise<unknown> =>
  runPython(
    `from told import last_words\nprint(json.dumps(last_words(json.loads(${JSON.stringify(JSON.stringify(stderr))}))))`,
  );

it('of a traceback the place and the error are told', async () => {
  const traceback = [
    'Traceback (most recent call last):',
    '  File "predict.py", line 4, in <module>',
    '    load()',
    '  File "load.py", line 2, in load',
    '    raise ValueError("no rows")',
    'ValueError: no rows',
  ].join('\n');
  expect(await lastWords(traceback)).toBe('File "load.py", line 2, in load: ValueError: no rows');
});

it('hidden data that a submission writes to stderr do not get out with its rejection', async () => {
  const hidden = Array.from({ length: 500 }, (_, i) => `token ${i}`);
  expect(await lastWords(hidden.join('\n'))).toBe('token 499');
  const told = (await lastWords(`ValueError: ${hidden.join(' ')}`)) as string;
  expect(told).toHaveLength(160);
  expect(told).toContain(' ... ');
});

it('only printable ASCII is told', async () => {
  expect(await lastWords('\u001b[31mKeyError:\u00a0\u202e\u{1F600}é\u0000')).toMatch(/^[\x20-\x7e]+$/);
});

it('nothing written is nothing told', async () => {
  expect(await lastWords(' \n\n')).toBe('');
});
