import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';

const PAGE = resolve(import.meta.dirname, '../../docs/reference/cli.md');
const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');

interface Row {
  code: number;
  when: string;
  /** What the shell gets: settings, then the command. */
  command: string;
  /** What happens meanwhile: `Ctrl-C`, `cancelled`, or nothing. */
  meanwhile: string;
}

/** The table under "Exit codes". */
const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| (\d+) +\| (.+?) +\| `([^`]+)`(?: (\S+))? +\|$/gm)].map(
  ([, code, when = '', command = '', meanwhile = '']): Row => ({ code: Number(code), when, command, meanwhile }),
);

let home: BenchHome;
beforeAll(async () => {
  home = new BenchHome();
  writeFileSync(join(home.dir, 'broken.jsonl'), '{"run": {}}\n');
  writeFileSync(join(home.dir, 'broken.yaml'), 'schema: [\n');
  await home.json('up');
});
afterAll(async () => {
  await home.remove();
});

function start({ command }: Row) {
  const words = command.split(' ');
  const at = words.indexOf('bench');
  const settings = Object.fromEntries(
    words
      .slice(0, at)
      .map((word): [string, string] => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
  return execa(process.execPath, [MAIN, ...words.slice(at + 1)], {
    ...{ reject: false, stdin: 'ignore', all: true, cwd: home.dir },
    env: { ...home.env, ...settings },
  });
}

describe('docs/reference/cli.md, exit codes', () => {
  it('has each code', () => {
    expect([...new Set(rows.map(({ code }) => code))]).toEqual([0, 1, 2, 130]);
  });

  it.each(rows.map((row) => [row.code, row.when, row.command, row.meanwhile, row] as const))(
    '%i, %s: %s %s',
    async (_code, _when, _command, _meanwhile, row) => {
      // Something to look on at, or to wait for.
      if (row.command === 'bench watch')
        await home.json('submit', '--models', 'scripted:slow', '--tasks', 'battleOfSexes', '--backend', 'local');
      const running = start(row);
      if (row.meanwhile !== '') {
        // The first line of a run: from then on Ctrl-C is listened to.
        await new Promise<void>((seen) => {
          let text = '';
          running.all.on('data', (chunk: Buffer) => {
            text += chunk.toString();
            if (/^r-[0-9a-z]{26} .*: /m.test(text)) seen();
          });
          void running.then(() => {
            seen();
          });
        });
        if (row.meanwhile === 'Ctrl-C') running.kill('SIGINT');
        else {
          const { batches } = await (await home.queries()).listBatches(1);
          await home.json('cancel', batches[0]!.batchId);
        }
      }
      const { exitCode, all } = await running;
      expect(exitCode, all).toBe(row.code);
    },
  );
});
