import { appendFileSync, readFileSync } from 'node:fs';
import { subscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import pg from 'pg';
import { type Answer, AnswerCheck, type DeclaredRow, declaresRow } from './answer-check.js';

/** Operations of test/sql/prepared-statements.test.ts. */
const OF_TESTS = ['sum', 'kept'];

export const declaredRowsFile = (scratch: string): string => join(scratch, 'declared-rows.json');
const seenFile = (scratch: string): string => join(scratch, 'seen-rows');

const readDeclared = (scratch: string): DeclaredRow[] =>
  JSON.parse(readFileSync(declaredRowsFile(scratch), 'utf8')) as DeclaredRow[];

let ending: (() => void) | undefined;

/** Checks all answers in this process. Returns what fails a file with the faults since the last. */
export const watchAnswers = (): (() => void) => (ending ??= watch(process.env['BENCH_TEST_SCRATCH'] ?? ''));

function watch(scratch: string): () => void {
  const check = new AnswerCheck(readDeclared(scratch));
  const faults = new Set<string>();
  const look = (answer: Answer): void => {
    if (!OF_TESTS.includes(answer.operation ?? '')) for (const fault of check.faults(answer)) faults.add(fault);
  };
  subscribe('bench:statement', (answer) => look(answer as Answer));
  watchClients(look);
  return () => {
    appendFileSync(seenFile(scratch), `${JSON.stringify([...check.seen])}\n`);
    check.seen.clear();
    const lines = [...faults];
    faults.clear();
    if (lines.length > 0) throw new Error(`rows are not what their types say:\n${lines.join('\n')}`);
  };
}

/** Transactions ask on clients, whose answers have no operation. */
function watchClients(look: (answer: Answer) => void): void {
  const client = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const { query } = client;
  client.query = function (this: unknown, ...args) {
    const asked = query.apply(this, args);
    const [text] = args;
    if (typeof text === 'string' && asked instanceof Promise)
      asked.then(
        (result: Answer['result'] | Answer['result'][]) => {
          if (!Array.isArray(result)) look({ operation: null, text, result });
        },
        () => undefined,
      );
    return asked;
  };
}

/** The calls, as `file:line`, that declare a row, and those of them that no test asked. */
export function rowsNotSeen(scratch: string): { calls: string[]; unseen: string[] } {
  const calls = [
    ...new Set(
      readDeclared(scratch)
        .filter(declaresRow)
        .map(({ place }) => place),
    ),
  ];
  const lines = readFileSync(seenFile(scratch), 'utf8').trimEnd().split('\n');
  const seen = new Set(lines.flatMap((line) => JSON.parse(line) as string[]));
  return { calls, unseen: calls.filter((place) => !seen.has(place)) };
}
