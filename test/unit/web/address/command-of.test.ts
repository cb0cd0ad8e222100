import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { CliContext } from '../../../../cli/context.js';
import { buildProgram } from '../../../../cli/program.js';
import { commandOf } from '../../../../web/client/address/command-of.js';
import { captured } from '../../cli/fixtures.js';

const context = { output: captured().output, looksOnly: () => undefined } as unknown as CliContext;
class Parsed extends Error {
  constructor(readonly command: Command) {
    super();
  }
}
/** The words of a line as a shell reads them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)].map(([word]) =>
    word.replace(
      /'([^']*)'|\\(')/g,
      (_, quoted: string | undefined, escaped: string | undefined) => quoted ?? escaped ?? '',
    ),
  );
const of = (address: string): string => {
  const { pathname, search } = new URL(address, 'http://localhost');
  return commandOf({ pathname, search });
};

describe('the command that shows what an address shows', () => {
  it.each([
    ['/', 'bench status'],
    ['/batches', 'bench batches'],
    ['/batches/b-1?tab=spend', 'bench status b-1'],
    ['/runs?model=a&model=b&task=t&status=running', 'bench runs --models a,b --tasks t --status running'],
    ['/runs?batch=b-1&endReason=submit', 'bench runs b-1 --end-reason submit'],
    ['/runs/r-1', 'bench logs r-1'],
    ['/runs/r-1?step=7', 'bench trajectory r-1 --from 7'],
    ['/runs/r-1?tab=prompt&step=3', 'bench prompt r-1 3'],
    ['/runs/r-1?tab=events', 'bench events r-1'],
    ['/runs/r-1?tab=setup', 'bench show r-1'],
    ['/compare?runs=r-1,r-2', 'bench show r-1'],
    ['/compare?batches=b-1&batches=b-2', 'bench compare b-1 b-2'],
    [
      '/leaderboard?metric=best-submission&models=a&include=suspect',
      'bench leaderboard --metric best-submission --models a --include suspect',
    ],
    ['/ops', 'bench hosts list'],
    ['/sql?q=select+%27it%27%27s%27', `bench sql 'select '\\''it'\\'''\\''s'\\'''`],
    [
      '/episodes?batch=b-1&group=g%201&policyVersion=3&state=open',
      `bench episodes list b-1 --group 'g 1' --policy-version 3 --state open`,
    ],
    ['/search?q=out+of+memory&model=a&in=file&in=action', `bench search --models a --in file,action 'out of memory'`],
    ['/search?q=--lr', 'bench search -- --lr'],
    ['/integrity?rule=tried', 'bench runs --flag tried'],
    ['/integrity', `bench sql 'select * from integrity_flags'`],
    ['/tasks', 'bench tasks list'],
    ['/tasks/blotto', 'bench tasks show blotto'],
    ['/models/a', 'bench models list'],
    ['/agents', 'bench agents list'],
  ])('%s', async (address, line) => {
    expect(of(address)).toBe(line);
    const [, ...args] = wordsOf(line);
    const program = await buildProgram(context, args[0]);
    program.hook('preAction', (_program, command) => {
      throw new Parsed(command);
    });
    const parsed: unknown = await program.parseAsync(args, { from: 'user' }).catch((error: unknown) => error);
    expect(parsed).toBeInstanceOf(Parsed);
  });

  it('lets nothing of an address become another word of the shell', () => {
    for (const nasty of [`'; rm -rf ~ #`, '$(reboot)', '`reboot`', 'a b', '*', "it's", '|x', '-rf x'])
      expect(wordsOf(of(`/runs?model=${encodeURIComponent(nasty)}`))).toEqual(['bench', 'runs', '--models', nasty]);
  });
});
