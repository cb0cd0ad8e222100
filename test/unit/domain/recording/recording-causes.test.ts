import { describe, expect, it } from 'vitest';
import { CauseFinder, type CauseName } from '../../../../domain/recording/causes.js';

const window = (...rows: string[]): string =>
  [`[File: <workspace>/a.py (${rows.length} lines total)]`, ...rows.map((row, at) => `${at + 1}:${row}`)].join('\n');
const refused = (...errors: string[]): string =>
  `Not applied.\nERRORS:\n${errors.join('\n')}\nAs it is\n${window('x = 1')}`;
const first = (action: string, recorded: string, now: string): CauseName | null =>
  new CauseFinder().next(action, recorded, now);

describe('the cause of a step that differs', () => {
  it.each<[CauseName, string, string, string]>([
    ['linter', 'edit 1:1\ny\nend_of_edit', refused("- F821 undefined name 'y'"), `${window('y')}\nChanged.`],
    ['linter', 'edit 1:1\ny\nend_of_edit', refused('- E111 indentation'), refused('- E999 SyntaxError')],
    ['wording', 'edit 1:1\ny = 2\nend_of_edit', `${window('y = 2')}\nFile updated.`, `${window('y = 2')}\nChanged.`],
    ['starter', 'open a.py', window('"""Licence."""', 'x = 1'), window('x = 1')],
    ['unscored', 'validate', '<evaluation: valid>', '[evaluation] The submission was rejected: it raised'],
    ['evaluation', 'validate', 'Failed to decode metrics', '<evaluation: valid>'],
    ['hidden', 'ls', 'evaluate.py\nstrategy.py', 'strategy.py'],
    ['numbers', 'python play.py', 'mean 1.25 after 3 games', 'mean 1.31 after 3 games'],
    ['packages', 'python a.py', 'done', "ModuleNotFoundError: No module named 'torch'"],
    ['limit', 'python a.py', 'EXECUTION TIMED OUT BECAUSE THE COMMAND WAS RUNNING', 'done'],
    ['guard', 'cd src\nedit 1:1\nx\nend_of_edit', 'usage', window('x')],
    ['other', 'python a.py', 'one thing', 'another thing'],
  ])('%s', (cause, action, recorded, now) => {
    expect(first(action, recorded, now)).toBe(cause);
  });

  it('is none where both are the same', () => {
    expect(first('python a.py', 'same', 'same')).toBeNull();
  });

  it('goes on in what follows from it, and not where it was only words', () => {
    const run = new CauseFinder();
    expect(run.next('edit 1:1\ny\nend_of_edit', refused("- F821 undefined name 'y'"), window('y'))).toBe('linter');
    expect(run.next('open a.py', window('x = 1'), window('y'))).toBe('linter');
    const words = new CauseFinder();
    expect(words.next('edit 1:1\nx\nend_of_edit', `${window('x')}\nFile updated.`, `${window('x')}\nChanged.`)).toBe(
      'wording',
    );
    expect(words.next('python a.py', 'one thing', 'another thing')).toBe('other');
  });

  it('is no starter once the run may have changed the file', () => {
    const run = new CauseFinder();
    expect(run.next('sed -i s/x/y/ a.py', '', '')).toBeNull();
    expect(run.next('open a.py', window('x = 1'), window('y = 1'))).toBe('other');
  });
});
