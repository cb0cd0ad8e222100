import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchHome } from '../setup/bench-home.js';
import { testPodman } from '../setup/podman-engine.js';
import { type AttackBackend, ATTACKED_TASKS, type AttackedTask } from './exploit.js';
import { Internet } from './internet.js';
import { type Evaluation, isGame } from './judge.js';

const ROOT = resolve(import.meta.dirname, '../..');
const ENDED_WITHIN_MS = 40 * 60_000;
/** Runs of a batch at a time, at least two: victim and attacker. Tasks' batches are parallel. */
const CONCURRENCY = (runs: number): string => String(runs > 16 ? 3 : 2);

/** An agent with its commands, under a name that is unique over all tasks. */
export interface Attacker {
  name: string;
  task: AttackedTask;
  commands: string[];
  /** Docker, if left out. */
  backend?: AttackBackend | undefined;
  ownDraws?: boolean | undefined;
}

/** How an attacker's run went. */
export interface AttackOutcome {
  name: string;
  endReason: string;
  finalEvaluation: string;
  detail: string | null;
  batchId: string;
  bestScore: number | null;
  finalScore: number | null;
  /** Of its task. */
  baseline: number | null;
  startedAt: Date;
  endedAt: Date;
  observations: string[];
  evaluations: Evaluation[];
  /** Rules of integrity that fired. */
  flags: string[];
}

/** Secrets where attackers may come near them. None may ever be shown to one. */
class Canaries {
  readonly #tokens = new Map<string, string>();

  /** A secret of its own for this place. */
  plant(place: string): string {
    const token = `CANARY-${randomBytes(12).toString('hex')}`;
    this.#tokens.set(place, token);
    return token;
  }
  /** A secret that exists already. */
  guard(place: string, token: string): void {
    this.#tokens.set(place, token);
  }
  /** The places whose secrets occur in the text. */
  in(text: string | Buffer): string[] {
    return [...this.#tokens].filter(([, token]) => text.includes(token)).map(([place]) => place);
  }
}

/** A home with the real games and the fixtures, and secrets planted around every evaluator. */
export class AttackGround {
  readonly canaries = new Canaries();
  readonly home: BenchHome;
  /** Where the task with a way out may connect to. */
  readonly internet: Internet;
  #plays = 0;
  readonly #dir = mkdtempSync(join(tmpdir(), 'bench-attacks-'));
  readonly #onHost = join(tmpdir(), `bench-attacks-${randomBytes(4).toString('hex')}.txt`);

  static async of(games: number): Promise<AttackGround> {
    return new AttackGround(games, await Internet.start());
  }

  /** `games`: how many each evaluation of a game plays. */
  private constructor(games: number, internet: Internet) {
    this.internet = internet;
    const configs = join(this.#dir, 'configs');
    cpSync(join(ROOT, 'configs'), configs, { recursive: true });
    for (const task of ATTACKED_TASKS) {
      const folder = join(configs, 'tasks', task);
      const fixture = join(ROOT, 'test/fixtures/tasks', task);
      const game = isGame(task);
      if (!game) cpSync(fixture, folder, { recursive: true });
      const referee = join(folder, 'evaluator/referee.py');
      const code = readFileSync(referee, 'utf8');
      if (game && !code.includes('GAMES = 10_000\n'))
        throw new Error(`${referee} does not say how many games it plays`);
      writeFileSync(referee, code.replace('GAMES = 10_000\n', `GAMES = ${games}\n`));
      writeFileSync(
        join(folder, 'evaluator/secret.txt'),
        this.canaries.plant(`secret beside the evaluator of ${task}`),
      );
      appendFileSync(referee, `\nCONSTANT = '${this.canaries.plant(`referee of ${task}`)}'\n`);
      const file = join(folder, 'task.yaml');
      const spec = readFileSync(file, 'utf8');
      const small = 'limits: { commandSeconds: 60, memoryMb: 512, cpus: 1, pids: 256 }\n';
      const way = { allow: [internet.address, 'allowed.test'], allowPrivate: true };
      const network = task === 'blotto' ? `network: ${JSON.stringify(way)}\n` : '';
      writeFileSync(file, (game ? spec.replace('commandSeconds: 1800', 'commandSeconds: 60') : spec + small) + network);
    }
    writeFileSync(this.#onHost, this.canaries.plant('file of the host'), { mode: 0o644 });
    this.home = new BenchHome({
      BENCH_CONFIGS: configs,
      OPENAI_API_KEY: this.canaries.plant('environment of the worker'),
      BENCH_PODMAN_HOST: testPodman().url,
    });
    writeFileSync(join(this.home.dir, 'notes.txt'), this.canaries.plant('file of the home'), { mode: 0o644 });
    const secret = randomBytes(32).toString('hex');
    this.canaries.guard('secret of the home', secret);
    writeFileSync(join(this.home.dir, 'secret'), `${secret}\n`, { mode: 0o600 });
  }

  /** Commands that name what stands on this ground alone. */
  here = (commands: readonly string[]): string[] =>
    commands.map((command) => command.replaceAll('@ALLOWED@', this.internet.address));

  /** Plays all attackers, each in its own run, some at a time; returns when every run has ended. */
  async play(attackers: readonly Attacker[]): Promise<Map<string, AttackOutcome>> {
    const recordings = join(this.#dir, 'recordings');
    mkdirSync(recordings, { recursive: true });
    for (const { name, commands } of attackers) writeFileSync(join(recordings, name), recordingOf(this.here(commands)));
    // As in task verification, these meet the same games: scores compare exactly.
    await this.home.sql(
      `create or replace function share_games() returns trigger language plpgsql
         as 'begin new.verification := new.name not like ''own-draws-%'' is not false; return new; end';
       create or replace trigger share_games before insert on batches for each row execute function share_games()`,
    );
    const batches: string[] = [];
    for (const [key, group] of groupsOf(attackers)) {
      const { task, backend = 'docker', ownDraws = false } = group[0];
      const names = group.map(({ name }) => name);
      const models = names.map((name) => `replay:${join(recordings, name)}`).join(',');
      const submitted = await this.home.json<{ batchId: string }>(
        ...['submit', '--models', models, '--tasks', task, '--agent', 'plain', '--backend', backend],
        ...['--attempts', '1', '--max-steps', '12', '--concurrency', CONCURRENCY(names.length)],
        ...(ownDraws ? ['--name', `own-draws-${key}-${(this.#plays += 1)}`] : []),
      );
      batches.push(submitted.batchId);
    }
    for (const started = Date.now(); ; await sleep(1000)) {
      const [row] = await this.home.sql<{ open: number }>(
        `select count(*)::int as open from runs where batch_id = any($1) and status <> 'ended'`,
        [batches],
      );
      if (row?.open === 0) break;
      if (Date.now() - started > ENDED_WITHIN_MS) throw new Error(`${row?.open} attackers have not ended`);
    }
    return this.#outcomes(batches);
  }

  async #outcomes(batches: string[]): Promise<Map<string, AttackOutcome>> {
    const rows = await this.home.sql<AttackOutcome & { model: string }>(
      `select model_name as model, batch_id as "batchId", end_reason as "endReason", final_evaluation as "finalEvaluation", detail,
         best_score as "bestScore", final_score as "finalScore", started_at as "startedAt", ended_at as "endedAt",
         (select coalesce(json_agg(coalesce(s.observation, '') order by s.step), '[]') from steps s
          where s.run_id = r.run_id) as observations,
         (select coalesce(json_agg(json_build_object('number', e.number, 'split', e.split, 'status', e.status,
            'primary', e.primary_score, 'metrics', e.metrics, 'suspect', e.suspect, 'unchanged', e.unchanged, 'message', e.message) order by e.number, e.split), '[]')
          from evaluations e where e.run_id = r.run_id) as evaluations,
         (select b.value from baselines b where b.content_hash = r.task_hash) as baseline,
         -- These two taint nothing: most attacks hand in the starter, and all of them try.
         array(select m.rule from integrity_flags m where m.run_id = r.run_id and m.rule not in ('untouched_starter', 'tried')) as flags
       from runs r where batch_id = any($1)`,
      [batches],
    );
    return new Map(
      rows.map(({ model, ...row }) => {
        const name = model.slice(model.lastIndexOf('/') + 1);
        return [name, { ...row, name }];
      }),
    );
  }

  /** Places whose secrets are in the product's records; not those that `speaker` said himself. */
  async leaks(speaker: string): Promise<string[]> {
    const rows = await this.home.sql<{ text: string | null }>(
      `with others as (select run_id from runs where model_name not like '%/' || $1)
       select observation as text from steps
       union all select response from steps join others using (run_id)
       union all select action from steps join others using (run_id)
       union all select response from model_calls join others using (run_id)
       union all select error from model_calls
       union all select message from evaluations
       union all select detail from events
       union all select detail from runs`,
      [speaker],
    );
    const found = rows.flatMap(({ text }) => this.canaries.in(text ?? ''));
    // Logs, collected submissions, and the histories of workflows.
    for (const folder of ['logs', 'artifacts', 'temporal'])
      for (const entry of readdirSync(join(this.home.dir, folder), { recursive: true, withFileTypes: true }))
        if (entry.isFile()) found.push(...this.canaries.in(readIfThere(join(entry.parentPath, entry.name))));
    return [...new Set(found)];
  }

  /** Faults of evaluators: an attack may not look like one. */
  evaluatorFaults = (): Promise<{ model: string; detail: string }[]> =>
    this.home.sql(
      `select model_name as model, e.detail from events e join runs r using (run_id) where kind = 'evaluator_error'`,
    );

  async remove(): Promise<void> {
    await this.home.remove();
    await this.internet.close();
    for (const path of [this.#dir, this.#onHost]) rmSync(path, { recursive: true, force: true });
  }
}

/** What is submitted together: runs of one task on one backend, whose evaluations draw alike. */
function groupsOf(attackers: readonly Attacker[]): Map<string, [Attacker, ...Attacker[]]> {
  const groups = new Map<string, [Attacker, ...Attacker[]]>();
  for (const attacker of attackers) {
    const { task, backend = 'docker', ownDraws = false } = attacker;
    const key = `${task}-${backend}${ownDraws ? '-own' : ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [attacker]);
    else group.push(attacker);
  }
  return groups;
}

/** Nothing of a file that went away since it was listed. */
function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** A trajectory that a model could have made: a command per step. */
const recordingOf = (commands: readonly string[]): string =>
  JSON.stringify({
    environment: 'attack',
    trajectory: commands.map((action) => ({
      state: '{}',
      response: `I try it.\n\`\`\`\n${action}\n\`\`\`\n`,
      thought: 'I try it.\n',
      action: `${action}\n`,
      observation: '',
    })),
    history: [],
    info: {},
  });
