import type { LayerRequirements } from '../../../domain/task/requirements.js';
import { quotedWord } from '../../../domain/text/shell-word.js';

/** In the verifier's image: wrappers of programs that download. */
export const OFFLINE_FOLDER = '/opt/bench-verifier/bin';
export const LOGS = '/logs/verifier';

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const PATH = `${OFFLINE_FOLDER}:$PATH`;

/**
 * Runs the tests once, with a network and without a submission, so that the image has what they
 * install. Removes results and tests; each evaluation brings its own tests.
 */
export function provisionScript({
  workdir,
  env,
  ctrf,
  verification,
}: NonNullable<LayerRequirements['harbor']>): string {
  // Otherwise the tests get another working folder.
  const kept = verification === 'live' ? [quotedWord(workdir), '/opt/bench-verifier/workdir'] : null;
  const found = ctrf ? `[ -s ${LOGS}/ctrf.json ]` : `[ -s ${LOGS}/reward.txt ] || [ -s ${LOGS}/reward.json ]`;
  return [
    'umask 022\n',
    `mkdir -p ${OFFLINE_FOLDER} ${LOGS} /tests\n`,
    `cp shims/* ${OFFLINE_FOLDER}/\n`,
    'cp -a tests/. /tests/\n',
    ...(kept === null ? [] : [`cp -a ${kept.join(' ')}\n`]),
    'chmod -R go-w /tests\n',
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quotedWord(value)}\n`),
    `export HOME=/root PATH="${PATH}"\n`,
    `cd ${quotedWord(workdir)}\n`,
    `bash /tests/test.sh || true\n`,
    `if ! { ${found}; }; then echo 'tests/test.sh left no ${ctrf ? 'ctrf.json' : 'reward'}: it did not get to its tests'; exit 1; fi\n`,
    'cd /\n',
    `rm -rf /tests /logs /tmp/* /solution\n`,
    // Files that the agent deleted must not reappear. Not a volume: tests may move files out.
    kept === null
      ? `find ${quotedWord(workdir)} -xdev -mindepth 1 -delete\n`
      : `rm -rf ${kept[0]} && mv ${kept[1]} ${kept[0]}\n`,
  ].join('');
}

export const pathOf = (env: readonly string[] | null | undefined): string =>
  env?.find((one) => one.startsWith('PATH='))?.slice('PATH='.length) ?? DEFAULT_PATH;

export const verificationEnvironment = (env: Readonly<Record<string, string>>, path: string): string[] =>
  Object.entries({
    DEBIAN_FRONTEND: 'noninteractive',
    PIP_NO_INDEX: '1',
    PIP_BREAK_SYSTEM_PACKAGES: '1',
    PIP_ROOT_USER_ACTION: 'ignore',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    UV_OFFLINE: '1',
    UV_PYTHON_DOWNLOADS: 'never',
    ...env,
    VERIFIER_OFFLINE: '1',
    HOME: '/root',
    PATH: `${OFFLINE_FOLDER}:${path}`,
  }).map(([name, value]) => `${name}=${value}`);
