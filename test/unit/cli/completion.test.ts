import { describe, expect, it } from 'vitest';
import { asked } from '../../../cli/completion/asked.js';
import type { CliContext } from '../../../cli/context.js';
import { buildProgram } from '../../../cli/program.js';

// Registering commands uses nothing of the context.
const program = await buildProgram({} as CliContext);
const at = (...words: string[]) => {
  const { known, ...rest } = asked(program, words);
  return { ...rest, known: known.map(({ value }) => value) };
};

describe('what may stand where a command line ends', () => {
  it('is a command, or one of its commands', () => {
    expect(at('').known).toEqual(expect.arrayContaining(['submit', 'tasks', 'completion']));
    expect(at('tasks', 'sh').known).toEqual(expect.arrayContaining(['list', 'show', 'import']));
    expect(at('tasks', 'import', '').known).toEqual(['harbor', 'mlgym']);
  });

  it('is an option, of the default command too', () => {
    expect(at('submit', '--').known).toEqual(expect.arrayContaining(['--models', '--file', '--json', '--help']));
    expect(at('hosts', '--').known).toContain('--all');
    expect(at('submit', '--', '--').known).toEqual([]);
  });

  it('is a choice, after a space or an equals sign', () => {
    expect(at('submit', '--wait', '--backend', '').known).toEqual(['docker', 'podman', 'local']);
    expect(at('submit', '--backend=d')).toMatchObject({ prefix: '--backend=', typed: 'd' });
    expect(at('completion', '').known).toEqual(['bash', 'zsh', 'fish']);
  });

  it('is one more of a list', () => {
    expect(at('submit', '--models', 'a,b')).toMatchObject({ prefix: 'a,', typed: 'b', kinds: ['model'] });
    expect(at('submit', '--models=a,b')).toMatchObject({ prefix: '--models=a,', typed: 'b', kinds: ['model'] });
    expect(at('events', '--kind', 'sandbox_reaped,').known).toContain('host_lost');
  });

  it.each([
    [['show', ''], ['run']],
    [['runs', ''], ['batch']],
    [
      ['cancel', ''],
      ['batch', 'run'],
    ],
    [['runs', '--models', 'x', ''], ['batch']],
    [['submit', '--into', ''], ['batch']],
    [['tasks', 'import', 'mlgym', '--into', ''], ['file']],
    [['submit', '-f', ''], ['file']],
    [['tasks', 'check', 'a', 'b', ''], ['task']],
    [['leaderboard', '--suite', ''], ['suite']],
    [['submit', '--agent', ''], ['agent']],
    [['show', 'r-1', ''], []],
  ])('%j is a name of %j', (words, kinds) => {
    expect(at(...words).kinds).toEqual(kinds);
  });
});
