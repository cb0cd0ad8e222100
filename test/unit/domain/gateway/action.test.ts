import { expect, it } from 'vitest';
import { actionOf } from '../../../../domain/gateway/action.js';

const call = (name: string, given: unknown) => ({ id: 'c', name, arguments: JSON.stringify(given) });

it.each([
  ['the command of a shell', call('Bash', { command: 'ls | wc -l' }), 'ls | wc -l'],
  [
    'the script that words hand to a shell',
    call('shell', { command: ['bash', '-lc', 'cat <<E > a\nb\nE'] }),
    'cat <<E > a\nb\nE',
  ],
  [
    'words, each as one',
    call('shell', { command: ['python3', '-c', "print('a b')"] }),
    `python3 -c 'print('\\''a b'\\'')'`,
  ],
  ['words of which nothing is to be quoted', call('shell', { cmd: ['ls', '-l', 'a/b.py'] }), 'ls -l a/b.py'],
  ['any other call as it is', call('Edit', { file: 'a' }), 'Edit {"file":"a"}'],
])('what a program does next is %s', (_what, given, action) => expect(actionOf([given])).toBe(action));

it('is all of its calls, or nothing', () => {
  expect(actionOf([])).toBeNull();
  expect(actionOf([call('Bash', { command: 'a' }), call('Bash', { command: 'b' })])).toBe('a\nb');
  expect(actionOf([{ id: 'c', name: 'odd', arguments: 'not json' }])).toBe('odd not json');
});
