import { whenPrepared } from './beside-the-tests.js';
import { notTested } from './not-tested.js';
import { installPackages, noPackages, onPath } from './packages.js';

/** Programs that tests use or compare with, by Debian package. */
const PROGRAMS = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  fish: ['fish'],
  zsh: ['zsh'],
} as const;
type Program = keyof typeof PROGRAMS;

const find = (program: Program, path?: string): string | null =>
  PROGRAMS[program].map((name) => onPath(name, path)).find((file) => file !== null) ?? null;

/** As root on Debian it installs what is missing; elsewhere the tests are skipped with a note. */
export async function ensurePrograms(
  say: (line: string) => void,
  options: { env?: NodeJS.ProcessEnv; lock?: string } = {},
): Promise<void> {
  const env = options.env ?? process.env;
  const missing = (Object.keys(PROGRAMS) as Program[]).filter((program) => find(program, env['PATH']) === null);
  if (missing.length === 0 || noPackages(env) !== null) return;
  await installPackages(missing, say, options);
}

/** In a test's process. Null: missing, and `tests` are reported as skipped in the last lines. */
export async function findProgram(program: Program, tests: string): Promise<string | null> {
  const failure = await whenPrepared('programs').then(() => null, String);
  const found = find(program);
  if (found !== null) return found;
  const why = failure ?? noPackages() ?? 'the projects `browser` and `home` install it';
  notTested(tests, `no ${program} on PATH, and ${why}. On Debian: apt-get install --no-install-recommends ${program}`);
  return null;
}
