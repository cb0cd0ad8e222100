import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { chooseFreePort } from '../../services/index.js';
import { BenchHome } from '../setup/bench-home.js';

const ROOT = resolve(import.meta.dirname, '../..');
const SUBMIT = ['submit', '--models', 'scripted:baseline', '--tasks', 'battleOfSexes'];

const homes: BenchHome[] = [];
afterEach(async () => {
  for (const home of homes.splice(0)) {
    // Most start nothing that would have to be stopped.
    if (existsSync(join(home.dir, 'services.json'))) await home.remove();
    else rmSync(home.dir, { recursive: true, force: true });
  }
});
function newHome(env: Record<string, string> = {}): BenchHome {
  const home = new BenchHome(env, { bare: true });
  homes.push(home);
  return home;
}

/** A port of this machine where nobody listens, nor is given to anybody meanwhile. */
const closedPort = (): Promise<number> => chooseFreePort(`closed ${process.pid} ${Date.now()}`);

interface ErrorDocument {
  error: { type: string; message: string; remedy: string | null };
}

describe('a mistake on the command line', () => {
  it.each([
    [['submit', '--models', 'scripted:baselin', '--tasks', 'all'], 'scripted:baseline'],
    [['submit', '--models', 'gpt-4oo', '--tasks', 'all'], 'gpt-4o'],
    [['submit', '--models', 'gpt-4o', '--tasks', 'game-theory'], 'OPENAI_API_KEY'],
    [['submit', '--models', 'scripted:baseline', '--tasks', 'battleOfSex'], 'battleOfSexes'],
    [[...SUBMIT, '--agent', 'defalt'], 'default'],
    [[...SUBMIT, '--attempts', '0'], 'whole number'],
    [[...SUBMIT, '--concurrency', 'many'], 'whole number'],
    [[...SUBMIT, '--backend', 'lxc'], 'docker, podman, local'],
    [[...SUBMIT, '--name', 'b-1'], 'beginning with b-'],
    [[...SUBMIT, '--maxsteps', '5'], '--max-steps'],
    [['submit', '--tasks', 'all'], '--models'],
    [['stauts'], 'status'],
    [['tasks', 'show', 'nothing'], 'battleOfSexes'],
    [['show'], 'run'],
    [['events', '--kind', 'provider_error,sandbox_reapt'], 'sandbox_reaped'],
    [['leaderboard', '--view', 'spring', '--mode', 'compat'], '--mode <mode>'],
    [['comparisons', 'save', 'two words'], 'letters, digits'],
    [['worker', '--gpus', 'nope'], 'no GPU nope'],
  ])('%j ends with exit code 2, names what is meant, and nothing is started or written', async (args, hint) => {
    const home = newHome();
    const result = await home.run(...args, '--json');
    expect(result.exitCode).toBe(2);
    expect((JSON.parse(result.stdout) as ErrorDocument).error.type).toBe('usage');
    expect(result.stderr).toContain(hint);
    expect(result.stderr).not.toMatch(/\n\s+at /);
    expect(readdirSync(home.dir)).toEqual([]);
  });

  it('starts no services for a task that is not there to be served', async () => {
    const home = newHome();
    const { exitCode, stderr } = await home.run('env', 'serve', '--tasks', 'battleOfSex');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Did you mean battleOfSexes?');
    expect(existsSync(join(home.dir, 'services.json'))).toBe(false);
  });

  it('shows the help on stderr when there is no command, on stdout when it is asked for', async () => {
    const home = newHome();
    expect(await home.run()).toMatchObject({ exitCode: 2, stdout: '' });
    const help = await home.run('--help');
    expect(help.exitCode).toBe(0);
    expect(help.stdout).toContain('leaderboard');
  });

  it('is told in two lines, without a stack', async () => {
    const { stdout, stderr } = await newHome().run('submit', '--models', 'x', '--tasks', 'all');
    expect(stdout).toBe('');
    expect(stderr.split('\n')).toHaveLength(2);
  });
});

describe('a broken configuration', () => {
  it('ends with exit code 2 and names file, line and key', async () => {
    const home = newHome();
    const configs = join(home.dir, 'configs');
    cpSync(join(ROOT, 'configs'), configs, { recursive: true });
    const file = join(configs, 'agents', 'default.yaml');
    writeFileSync(file, 'schema: 1\ndescripton: x\n');
    home.env['BENCH_CONFIGS'] = configs;

    const submitted = await home.run(...SUBMIT);
    expect(submitted.exitCode).toBe(2);
    expect(submitted.stderr).toContain(`${file}:2: descripton: unknown key; did you mean description?`);

    const checked = await home.run('validate-config', '--json');
    expect(checked.exitCode).toBe(2);
    const document = JSON.parse(checked.stdout) as { valid: boolean; files: { problems: { key: string }[] }[] };
    expect(document.valid).toBe(false);
    expect(document.files.flatMap((one) => one.problems.map((problem) => problem.key))).toContain('descripton');
    expect(readdirSync(home.dir)).toEqual(['configs']);
  });

  it('is found by validate-config in a file that is named', async () => {
    const home = newHome();
    mkdirSync(join(home.dir, 'agents'));
    const file = join(home.dir, 'agents', 'mine.yaml');
    writeFileSync(file, 'schema: [\n');
    const result = await home.run('validate-config', file);
    expect(result.exitCode).toBe(2);
    expect(result.stdout).toContain(`${file}:`);
    expect((await home.run('validate-config', join(home.dir, 'none.yaml'))).exitCode).toBe(2);
  });

  it('of bench itself passes', async () => {
    expect((await newHome().json<{ valid: boolean }>('validate-config')).valid).toBe(true);
  });
});

describe('services that do not answer', () => {
  it('a wrong DATABASE_URL is one message without the password, and nothing is written', async () => {
    const home = newHome({ DATABASE_URL: `postgres://me:hidden@127.0.0.1:${await closedPort()}/x` });
    const result = await home.run('runs');
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toContain('DATABASE_URL');
    expect(result.stderr).not.toContain('hidden');
    expect(result.stderr).not.toMatch(/\n\s+at /);
    expect(existsSync(join(home.dir, 'postgres'))).toBe(false);
  });

  it('an unreachable TEMPORAL_ADDRESS is one message, and nothing is submitted', async () => {
    const home = newHome({ TEMPORAL_ADDRESS: `127.0.0.1:${await closedPort()}` });
    const result = await home.run(...SUBMIT, '--backend', 'local', '--json');
    expect(result.exitCode).toBe(1);
    const { error } = JSON.parse(result.stdout) as ErrorDocument;
    expect(error).toMatchObject({ type: 'services' });
    expect(error.remedy).toContain('TEMPORAL_ADDRESS');
    expect(existsSync(join(home.dir, 'postgres'))).toBe(false);
  });

  it('a home that is a file is one message', async () => {
    const home = newHome();
    writeFileSync(join(home.dir, 'file'), '');
    home.env['BENCH_HOME'] = join(home.dir, 'file');
    const result = await home.run('status');
    home.env['BENCH_HOME'] = home.dir;
    expect([1, 2]).toContain(result.exitCode);
    expect(result.stderr).toContain(join(home.dir, 'file'));
    expect(result.stderr).not.toMatch(/\n\s+at /);
  });

  it('no engine: refused with --backend docker, else scripted agents are local with a notice', async () => {
    const home = newHome({ DOCKER_HOST: `unix://${ROOT}/no-such.sock` });
    const refused = await home.run(...SUBMIT, '--backend', 'docker', '--dry-run');
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('no-such.sock');
    const local = await home.run(...SUBMIT, '--dry-run', '--json');
    expect(local.exitCode).toBe(0);
    expect(JSON.parse(local.stdout)).toMatchObject({ batchId: null, dryRun: true, backend: 'local' });
    expect(local.stderr).toContain('no isolation');
    expect(readdirSync(home.dir)).toEqual([]);
  });

  it('an engine reached over the network that does not answer is a finding of doctor, and Node adds no warning', async () => {
    const home = newHome({ DOCKER_HOST: `tcp://127.0.0.1:${await closedPort()}` });
    const { stdout, stderr } = await home.run('doctor');
    expect(stdout).toContain(`the engine at ${home.env['DOCKER_HOST']} does not answer`);
    expect(stderr).toBe('');
  });
});

describe('a reader that stops reading', () => {
  it('is no failure', async () => {
    const main = join(ROOT, 'dist/cli/main.js');
    const home = newHome();
    const result = await execa(
      'bash',
      ['-c', `"${process.execPath}" "${main}" --help | head -n 1; exit \${PIPESTATUS[0]}`],
      {
        env: home.env,
        reject: false,
      },
    );
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
