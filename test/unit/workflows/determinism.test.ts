import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');

/**
 * Reads of the time or the history's length: a replay sees another value, and decides otherwise.
 * Workflows decide by own counts, results of activities and timers. Local activities are refused:
 * their workers see a stale clock, and lose signals when they are slow.
 */
const READS = new Set([
  ...['Date', 'performance', 'hrtime', 'historyLength', 'historySize', 'continueAsNewSuggested'],
  ...['proxyLocalActivities', 'scheduleLocalActivity'],
]);

/** Where one of them is needed, and why it does no harm. */
const EXCEPTIONS: Record<string, { reads: string[]; because: string }> = {
  'workflows/batch.ts': {
    reads: ['continueAsNewSuggested', 'historyLength'],
    because:
      'A batch is followed shard by shard, whose signals it cannot count before. Its length is that of the workflow ' +
      'task as it is recorded, since the batch has no local activity.',
  },
  'workflows/gpu-pool.ts': {
    reads: ['Date', 'continueAsNewSuggested', 'historyLength'],
    because:
      'Leases expire by the clock, and pools of earlier versions are full by the length of their history. ' +
      'Both are those of the workflow task as it is recorded, since the pool has no local activity.',
  },
};

/** All that workflows run: what `file` imports, types excepted. */
function runBy(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const statement of parse(file).statements) {
    const from = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement) ? statement : null;
    const specifier = from?.moduleSpecifier;
    if (from === null || specifier === undefined || !ts.isStringLiteral(specifier)) continue;
    const isType = ts.isImportDeclaration(from)
      ? from.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : from.isTypeOnly;
    if (isType || !specifier.text.startsWith('.')) continue;
    runBy(resolve(file, '..', specifier.text.replace(/\.js$/, '.ts')), known);
  }
  return known;
}

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);

/** Names in code, that is not in comments, strings and types. */
function readsOf(source: ts.SourceFile): string[] {
  const found = new Set<string>();
  const look = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node) && READS.has(node.text)) found.add(node.text);
    ts.forEachChild(node, look);
  };
  look(source);
  return [...found].toSorted();
}

it('workflows read neither the clock nor the length of their history, nor have local activities', () => {
  const files = [...runBy(resolve(ROOT, 'workflows/index.ts'))];
  const found = files.map((file) => [relative(ROOT, file), readsOf(parse(file))] as const);
  expect(found.map(([file]) => file)).toEqual(
    expect.arrayContaining(['workflows/run-steps.ts', 'domain/run/clock.ts']),
  );
  const expected = Object.entries(EXCEPTIONS).map(([file, { reads }]) => [file, reads]);
  expect(Object.fromEntries(found.filter(([, reads]) => reads.length > 0))).toEqual(Object.fromEntries(expected));
});

it.each([
  ['Date.now() - 5', ['Date']],
  ['new Date().getTime()', ['Date']],
  ['const { historyLength } = workflowInfo();', ['historyLength']],
  ['workflowInfo().historySize', ['historySize']],
  ['workflowInfo().continueAsNewSuggested', ['continueAsNewSuggested']],
  ['performance.now()', ['performance']],
  ['const local = proxyLocalActivities<ControlActivities>({});', ['proxyLocalActivities']],
  ["// Date.now()\nconst at: Date | 'Date.now()' = 'performance.now()';", []],
])('the rule reads %j', (code, reads) => {
  expect(readsOf(ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest, true))).toEqual(reads);
});
