// npm run check:words: public texts use the words of CONTRIBUTING.md ("Words"). It reads string literals
// of the product, the page included, comments of the database and the docs. Names and comments of the code
// are left to the reviewer.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** What is not written, and what is instead. */
const WORDS = [
  [/\b(?:is|are|was|were|be|been) told\b|\btold (?:of|to|that|why)\b/i, 'is notified, receives, is asked to'],
  [/\b(?:nobody|somebody)\b/i, 'name who: no client, an operator'],
  [/\bwhoever\b/i, 'callers, the reader'],
  [/\b(?:goes|go|went|going|gone) on\b/i, 'continues, resumes'],
  [/\banew\b|\bonce more\b/i, 'again; re- before the verb'],
  [/\bstands? still\b/i, 'is stalled'],
  [/\bbeside the workflow\b/i, 'as a local activity'],
  [/\b(?:came|comes) to nothing\b|\bcame of (?:it|them)\b/i, 'failed, its outcome'],
  [/\bfor ever\b/i, 'indefinitely'],
  [/\bcomes? about\b/i, 'happens'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\bcannot be told apart\b|\bshare a letter\b/i, 'not significantly different'],
  [/\bpatience\b/i, 'timeout'],
  [/\bP\((?:impr|improvement|first)\)|\bbeats others\b/i, 'win rate, P(best)'],
  [/\bdoors?\b/i, 'server, endpoint, or the name of the protocol'],
];

/** Files that are not checked, and why. */
const EXCEPT = [
  // Prompts, tools and evaluators: a changed text would change what agents do, and what recorded runs have.
  /^configs\//,
  /^datasets\//,
  /^images\//,
  /^domain\/agent\//,
  /^domain\/mlgym\//,
  /^domain\/tree\/(?:child-note|questions)\.ts$/,
  // Not of the product.
  /^test\//,
  /^benchmarks\//,
  /^scripts\/check-words/,
  /^CHANGELOG/,
  // Applied already: a database compares their hashes.
  /^db\/migrations\//,
];
/** Words that mean what they say: the user of the system that is named so. */
const ALLOWED = [/hidden ?doors?/i, /^nobody$/i, /`nobody`/, /\buser nobody\b/];

const files = execFileSync('git', ['ls-files', '-z', '*.ts', '*.tsx', '*.mjs', '*.md', '*.sql', '*.py'], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && !EXCEPT.some((pattern) => pattern.test(file)));

/** Texts of a file, each with its line, from 1. */
function textsOf(file, text) {
  if (/\.(?:ts|tsx|mjs)$/.test(file)) return literalsOf(file, text);
  const lines = text.split('\n').map((line, at) => ({ line: at + 1, text: line }));
  if (file.endsWith('.sql')) return lines.filter(({ text: one }) => /^\s*(?:--|comment on|')/.test(one));
  if (file.endsWith('.py')) return lines.filter(({ text: one }) => /["']/.test(one));
  return lines;
}

function literalsOf(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isJsxText(node)
    )
      found.push({ line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, text: node.text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const problems = files.flatMap((file) =>
  textsOf(file, readFileSync(file, 'utf8')).flatMap(({ line, text }) =>
    WORDS.flatMap(([pattern, instead]) => {
      const match = pattern.exec(
        ALLOWED.reduce((rest, allowed) => rest.replaceAll(new RegExp(allowed, 'gi'), ''), text),
      );
      return match === null ? [] : [`${file}:${line}: "${match[0]}": ${instead}`];
    }),
  ),
);
for (const problem of problems) console.error(problem);
console.log(`${files.length} files, ${problems.length} words that are not ours`);
process.exitCode = problems.length === 0 ? 0 : 1;
