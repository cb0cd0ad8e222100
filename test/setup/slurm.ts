import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { withDescendants } from './process-tree.js';

const PROGRAMS = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'squeue', 'scancel'];

/** Why no cluster can be started here; null: one can. */
export async function noSlurm(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'Slurm is started by root alone';
  const missing: string[] = [];
  for (const program of PROGRAMS)
    if ((await execa('which', [program], { reject: false })).exitCode !== 0) missing.push(program);
  return missing.length === 0 ? null : `no ${missing.join(', ')}: apt-get install slurmctld slurmd slurm-client munge`;
}

/** One node and two partitions: jobs in `high` preempt and requeue those in `low`. */
export class SlurmCluster {
  readonly #daemons: ChildProcess[] = [];
  #node: ChildProcess | undefined;
  private constructor(
    readonly dir: string,
    readonly nodeName: string,
  ) {}

  static async start(): Promise<SlurmCluster> {
    const node = hostname().split('.')[0] ?? 'localhost';
    const cluster = new SlurmCluster(mkdtempSync(join(tmpdir(), 'bench-slurm-')), node);
    const { dir } = cluster;
    const munge = Number((await execa('id', ['-u', 'munge'])).stdout);
    chmodSync(dir, 0o755);
    for (const part of ['munge', 'ctld', 'd']) mkdirSync(join(dir, part));
    const key = join(dir, 'munge', 'key');
    writeFileSync(key, randomBytes(128), { mode: 0o400 });
    for (const path of [key, join(dir, 'munge')]) chownSync(path, munge, munge);
    const socket = join(dir, 'munge', 'socket');
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    writeFileSync(
      cluster.conf,
      [
        ...['ClusterName=t', `SlurmctldHost=${node}(127.0.0.1)`, 'SlurmUser=root', 'SlurmdUser=root'],
        // A requeued job starts again after this time.
        ...['AuthType=auth/munge', `AuthInfo=socket=${socket},cred_expire=5`],
        ...[`SlurmctldPort=${port}`, `SlurmdPort=${port + 1}`],
        ...[`StateSaveLocation=${dir}/ctld`, `SlurmdSpoolDir=${dir}/d`],
        ...[`SlurmctldPidFile=${dir}/ctld.pid`, `SlurmdPidFile=${dir}/d.pid`],
        ...[`SlurmctldLogFile=${dir}/ctld.log`, `SlurmdLogFile=${dir}/d.log`],
        ...['ProctrackType=proctrack/linuxproc', 'TaskPlugin=task/none', 'MpiDefault=none'],
        ...['SelectType=select/cons_tres', 'SelectTypeParameters=CR_CPU', 'SchedulerType=sched/backfill'],
        ...['SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=0'],
        ...['ReturnToService=2', 'KillWait=20', 'SlurmdParameters=config_overrides'],
        ...['PreemptType=preempt/partition_prio', 'PreemptMode=REQUEUE'],
        `NodeName=${node} NodeAddr=127.0.0.1 CPUs=4 RealMemory=64000 State=UNKNOWN`,
        'PartitionName=low Nodes=ALL Default=YES MaxTime=600 State=UP PriorityTier=1 PreemptMode=REQUEUE',
        'PartitionName=high Nodes=ALL MaxTime=600 State=UP PriorityTier=10 PreemptMode=OFF',
        '',
      ].join('\n'),
    );
    const munged = ['munged', '--foreground', `--key-file=${key}`, `--socket=${socket}`];
    const files = ['log', 'pid', 'seed'].map((name) => `--${name}-file=${dir}/munge/${name}`);
    cluster.#spawn('su', ['-s', '/bin/sh', 'munge', '-c', ['exec', ...munged, ...files].join(' ')]);
    while (!existsSync(socket)) await new Promise((settle) => setTimeout(settle, 50));
    cluster.#spawn('slurmctld', ['-D', '-f', cluster.conf]);
    await cluster.#startNode();
    return cluster;
  }

  get conf(): string {
    return join(this.dir, 'slurm.conf');
  }
  get log(): string {
    return readFileSync(join(this.dir, 'ctld.log'), 'utf8');
  }

  #spawn(program: string, args: string[]): ChildProcess {
    const daemon = spawn(program, args, { env: { ...process.env, SLURM_CONF: this.conf }, stdio: 'ignore' });
    this.#daemons.push(daemon);
    return daemon;
  }

  async #startNode(): Promise<void> {
    this.#node = this.#spawn('slurmd', ['-D', '-f', this.conf, '-N', this.nodeName]);
    while (!(await this.run('sinfo', '-h', '-o', '%T')).split('\n').includes('idle'))
      await new Promise((settle) => setTimeout(settle, 200));
  }

  async run(program: string, ...args: string[]): Promise<string> {
    const { stdout } = await execa(program, args, { env: { SLURM_CONF: this.conf }, reject: false });
    return stdout;
  }

  async jobs(): Promise<string[]> {
    return (await this.run('squeue', '-h', '-o', '%i')).split('\n').filter((line) => line !== '');
  }

  async preempt(): Promise<void> {
    await this.run('sbatch', '-p', 'high', '-n', '4', '-t', '5', '-o', '/dev/null', '--wrap', 'sleep 1');
  }

  /** The node loses power, with its daemon and all jobs, and returns later. */
  async loseNode(awayMs: number): Promise<void> {
    this.#node?.kill('SIGKILL');
    for (let left = processesOfJobs(this.dir); left.length > 0; left = processesOfJobs(this.dir))
      for (const pid of left)
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // Gone with another.
        }
    await this.run('scontrol', 'update', `NodeName=${this.nodeName}`, 'State=DOWN', 'Reason=test');
    await new Promise((settle) => setTimeout(settle, awayMs));
    await this.#startNode();
  }

  async stop(): Promise<void> {
    for (const job of await this.jobs()) await this.run('scancel', job);
    for (let i = 0; i < 100 && (await this.jobs()).length > 0; i++)
      await new Promise((settle) => setTimeout(settle, 300));
    for (const daemon of this.#daemons.toReversed()) {
      const gone = new Promise((settle) => daemon.once('exit', settle));
      if (daemon.exitCode === null && daemon.signalCode === null) {
        daemon.kill('SIGTERM');
        await gone;
      }
    }
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Processes with a job's environment, and their descendants. */
function processesOfJobs(dir: string): number[] {
  const isOfJob = (pid: string): boolean => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      const inJob = environment.some((one) => one.startsWith('SLURM_JOB_ID='));
      // A zombie has no environment any more.
      return inJob && environment.includes(`SLURM_CONF=${join(dir, 'slurm.conf')}`);
    } catch {
      return false;
    }
  };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOfJob(name));
  return [...new Set(pids.map(Number).flatMap(withDescendants))];
}
