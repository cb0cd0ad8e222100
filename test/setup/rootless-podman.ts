import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { probeEngine } from '../../backends/docker/engine.js';
import { engineAddress, type EngineAddress } from '../../backends/docker/engine-address.js';
import { findTemporalForTests } from './find-temporal.js';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');
const PROGRAMS = ['podman', 'newuidmap', 'useradd', 'setpriv'];
const BASE = join(homedir(), '.cache', 'bench', 'images', 'bench-base-bookworm.tar');
const START_LIMIT_MS = 60_000;

/** Why podman cannot be tried as an ordinary user here; null: it can. */
export async function noRootlessPodman(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'only root makes an ordinary user to try it as';
  for (const program of PROGRAMS)
    if ((await execa('which', [program], { reject: false })).exitCode !== 0)
      return `no ${program}: apt-get install podman runc uidmap slirp4netns`;
  const read = ['--reuid', '65534', '--regid', '65534', '--clear-groups', 'cat', MAIN];
  if ((await execa('setpriv', read, { reject: false, stdout: 'ignore' })).exitCode !== 0)
    return `an ordinary user cannot read ${dirname(MAIN)}`;
  return null;
}

/** An ordinary user of this machine with a service of podman's of its own, and `bench` as it runs it. */
export class RootlessPodman {
  #service: ChildProcess | undefined;
  private constructor(
    private readonly user: string,
    readonly dir: string,
    private readonly path: string,
  ) {
    mkdirSync(join(dir, '.config', 'containers'), { recursive: true });
    // Debian's crun needs cgroups that nobody has delegated.
    writeFileSync(
      join(dir, '.config', 'containers', 'containers.conf'),
      '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n',
    );
  }

  static async start(): Promise<RootlessPodman> {
    const dir = mkdtempSync('/var/tmp/bench-rootless-');
    const user = basename(dir).toLowerCase();
    // With a range of subordinate ids.
    await execa('useradd', ['--home-dir', dir, '--shell', '/bin/sh', user]);
    mkdirSync(join(dir, '.cache', 'bench', 'images'), { recursive: true });
    if (existsSync(BASE)) copyFileSync(BASE, join(dir, '.cache', 'bench', 'images', basename(BASE)));
    // Root's own cache is closed to others.
    for (const name of ['bin', 'tmp']) mkdirSync(join(dir, name));
    copyFileSync(await findTemporalForTests(), join(dir, 'bin', 'temporal'));
    mkdirSync(join(dir, 'run'), { mode: 0o700 });
    const started = new RootlessPodman(user, dir, `${join(dir, 'bin')}:${process.env['PATH'] ?? ''}`);
    await execa('chown', ['-R', `${user}:`, dir]);
    started.#service = spawn(...started.#as('podman', 'system', 'service', '--time=0', started.address.url));
    const deadline = Date.now() + START_LIMIT_MS;
    while ((await probeEngine(started.address)).kind !== 'ok') {
      if (Date.now() > deadline) throw new Error("podman's service does not answer an ordinary user");
      await new Promise((settle) => setTimeout(settle, 100));
    }
    return started;
  }

  get address(): EngineAddress {
    return engineAddress('podman', { BENCH_PODMAN_HOST: `unix://${this.dir}/run/podman.sock` });
  }

  /** A command of bench's with --json, as that user. Throws with what it printed if it fails. */
  async bench<T>(...args: string[]): Promise<T> {
    const [program, words, options] = this.#as(process.execPath, MAIN, ...args, '--json');
    const { exitCode, stdout, stderr } = await execa(program, words, { ...options, stdin: 'ignore', reject: false });
    if (exitCode !== 0) throw new Error(`bench ${args.join(' ')} exited with ${exitCode}\n${stdout}\n${stderr}`);
    return JSON.parse(stdout) as T;
  }

  /** What to start so that the user runs it. */
  #as(program: string, ...args: string[]): [string, string[], { env: Record<string, string>; cwd: string }] {
    const env = {
      ...{ HOME: this.dir, USER: this.user, PATH: this.path, XDG_RUNTIME_DIR: join(this.dir, 'run'), NO_COLOR: '1' },
      ...{ BENCH_HOME: join(this.dir, 'home'), BENCH_PODMAN_HOST: this.address.url, BENCH_GPUS: 'none' },
      // Podman 4 forgets what it imports there.
      TMPDIR: join(this.dir, 'tmp'),
    };
    const become = ['--reuid', this.user, '--regid', this.user, '--clear-groups', program, ...args];
    return ['setpriv', become, { env, cwd: this.dir }];
  }

  async stop(): Promise<void> {
    await this.bench('down').catch(() => undefined);
    const [program, words, options] = this.#as('podman', 'system', 'reset', '--force');
    await execa(program, words, { ...options, reject: false });
    const gone = new Promise((settle) => this.#service?.once('exit', settle));
    this.#service?.kill('SIGTERM');
    await gone;
    // What podman holds its user's namespace with.
    await execa('pkill', ['-KILL', '-u', this.user], { reject: false });
    await execa('userdel', ['--force', this.user], { reject: false });
    rmSync(this.dir, { recursive: true, force: true });
  }
}
