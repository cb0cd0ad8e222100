import type { Pairs } from '../../domain/views/pairs.js';
import { verdictText } from '../../domain/text/verdict.js';

/** XML 1.0 has no escape for control characters, and no place for half of a pair of surrogates. */
const allowed = (char: string): boolean => char >= ' ' && char !== '\ufffe' && char !== '\uffff';

const escaped = (text: string): string =>
  [...text.toWellFormed().replace(/\s+/g, ' ')]
    .map((char) => (allowed(char) ? char : '\ufffd'))
    .join('')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');

/** JUnit's XML, as CI systems read it: one test, whether B is worse. Undecided is skipped. */
export function junitOf(pairs: Pairs): string {
  const text = escaped(verdictText(pairs));
  const worse = pairs.verdict?.worse ?? 'undecided';
  const name = escaped(`${pairs.b} is not worse than ${pairs.a}`);
  const inside = { yes: `<failure message="${text}"/>`, undecided: `<skipped message="${text}"/>`, no: '' }[worse];
  const [failures, skipped] = [Number(worse === 'yes'), Number(worse === 'undecided')];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="1" failures="${failures}" skipped="${skipped}">`,
    `  <testsuite name="bench compare" tests="1" failures="${failures}" skipped="${skipped}">`,
    `    <testcase classname="bench.compare" name="${name}">${inside}<system-out>${text}</system-out></testcase>`,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}
