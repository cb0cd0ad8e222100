import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { CliContext } from '../../../cli/context.js';
import { documents } from '../../../scripts/reference/documents.js';
import { buildProgram } from '../../../cli/program.js';
import { JSON_PAGE, jsonReference, withJsonReference } from '../../../scripts/reference/json-reference.js';
import { checkPrinted, commandOf } from '../../setup/printed-document.js';

// Registering commands uses nothing of the context.
const program = await buildProgram({} as CliContext);
const leaves = (command: Command, path: readonly string[] = []): string[] =>
  command.commands.length === 0
    ? [path.join(' ')]
    : command.commands.flatMap((child) => leaves(child, [...path, child.name()]));

describe('the documents of commands', () => {
  it('has schemas for every command, and for no other', () => {
    expect(Object.keys(documents).sort()).toEqual(leaves(program).sort());
  });

  it('finds the command that arguments name', () => {
    expect(commandOf(['tasks', '--json'])).toBe('tasks list');
    expect(commandOf(['tasks', 'import', 'mlgym', '/checkout', '--json'])).toBe('tasks import mlgym');
    expect(commandOf(['--json', 'status', 'b-1'])).toBe('status');
    expect(commandOf(['nonsense', '--json'])).toBeNull();
  });
});

describe('a document', () => {
  const pause = { batchId: 'b-1', paused: true, status: 'running', queuedRuns: 1, runningRuns: 0, endedRuns: 2 };

  it('is taken if it fits, as an error is of any command', () => {
    checkPrinted(['pause', 'b-1'], pause);
    checkPrinted(['pause', 'b-1'], {
      error: { type: 'not_found', code: 'not_found', message: 'there is no batch b-1', remedy: null },
    });
  });

  it.each([
    ['an unknown key', { ...pause, more: 1 }, /Unrecognized key: "more"/],
    ['a missing key', { ...pause, endedRuns: undefined }, /endedRuns/],
    ['an unknown value', { ...pause, status: 'asleep' }, /status/],
    ['an id of something else', { ...pause, batchId: 'r-1' }, /batchId/],
  ])('is refused with %s', (_, document, message) => {
    expect(() => checkPrinted(['pause', 'b-1'], document)).toThrow(message);
  });

  it('is refused with an unknown key deep inside', () => {
    const resumed = [{ batchId: 'b-1', unfinishedRuns: 1, since: null }];
    expect(() => checkPrinted(['resume'], { resumed })).toThrow(/Unrecognized key: "since"/);
  });
});

describe(JSON_PAGE, () => {
  const page = readFileSync(new URL(`../../../${JSON_PAGE}`, import.meta.url), 'utf8');

  it('is what the schemas say (else: npm run build && node scripts/update-json-docs.mjs)', () => {
    expect(page).toBe(withJsonReference(page, jsonReference(documents)));
  });
});
