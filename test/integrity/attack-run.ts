import { randomBytes } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchHome } from '../setup/bench-home.js';
import { ATTACKED_TASKS, type AttackedTask } from './exploit.js';

const ROOT = resolve(import.meta.dirname, '../..');
const ENDED_WITHIN_MS = 15 * 60_000;

/** An agent with its commands, under a name that is unique over all tasks. */
export interface Attacker {
  name: string;
  task: AttackedTask;
  commands: string[];
}

/** How an attacker's run went. */
export interface AttackOutcome {
  name: string;
  endReason: string;
  finalEvaluation: string;
  detail: string | null;
  bestScore: number | null;
  finalScore: number | null;
  observations: string[];
  evaluations: { kind: string; split: string; status: string; primary: number | null; message: string }[];
}

/** Secrets where attackers may come near them. None may ever be shown to one. */
export class Canaries {
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
  in(text: string): string[] {
    return [...this.#tokens].filter(([, token]) => text.includes(token)).map(([place]) => place);
  }
}

/** A home whose tasks are the real games and the fixtures, with secrets planted around every evaluator. */
export class AttackGround {
  readonly canaries = new Canaries();
  readonly home: BenchHome;
  readonly #dir = mkdtempSync(join(tmpdir(), 'bench-attacks-'));

  constructor() {
    const configs = join(this.#dir, 'configs');
    cpSync(join(ROOT, 'configs'), configs, { recursive: true });
    for (const task of ATTACKED_TASKS) {
      const folder = join(configs, 'tasks', task);
      const fixture = join(ROOT, 'test/fixtures/tasks', task);
      const game = task === 'battleOfSexes' || task === 'blotto';
      if (!game) cpSync(fixture, folder, { recursive: true });
      writeFileSync(
        join(folder, 'evaluator/secret.txt'),
        this.canaries.plant(`secret beside the evaluator of ${task}`),
      );
      appendFileSync(join(folder, 'evaluator/referee.py'), `\n# ${this.canaries.plant(`referee of ${task}`)}\n`);
      const file = join(folder, 'task.yaml');
      const spec = readFileSync(file, 'utf8');
      const small = 'limits: { commandSeconds: 60, memoryMb: 512, cpus: 1, pids: 256 }\n';
      writeFileSync(file, game ? spec.replace('commandSeconds: 1800', 'commandSeconds: 60') : spec + small);
    }
    writeFileSync(join(this.#dir, 'host.txt'), this.canaries.plant('file of the host'), { mode: 0o644 });
    this.home = new BenchHome({
      BENCH_CONFIGS: configs,
      OPENAI_API_KEY: this.canaries.plant('environment of the worker'),
    });
    writeFileSync(join(this.home.dir, 'notes.txt'), this.canaries.plant('file of the home'));
  }

  /** Play all attackers, each in a run of its own, some at a time; returns when every run has ended. */
  async play(attackers: readonly Attacker[]): Promise<Map<string, AttackOutcome>> {
    const recordings = join(this.#dir, 'recordings');
    mkdirSync(recordings, { recursive: true });
    for (const { name, commands } of attackers) writeFileSync(join(recordings, name), recordingOf(commands));
    const batches: string[] = [];
    for (const task of ATTACKED_TASKS) {
      const names = attackers.filter((attacker) => attacker.task === task).map(({ name }) => name);
      if (names.length === 0) continue;
      const models = names.map((name) => `replay:${join(recordings, name)}`).join(',');
      const submitted = await this.home.json<{ batchId: string }>(
        ...['submit', '--models', models, '--tasks', task, '--agent', 'plain', '--backend', 'docker'],
        ...['--attempts', '1', '--max-steps', '12', '--concurrency', '2'],
      );
      batches.push(submitted.batchId);
    }
    this.canaries.guard('secret of the home', readFileSync(join(this.home.dir, 'secret'), 'utf8').trim());
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
      `select model_name as model, end_reason as "endReason", final_evaluation as "finalEvaluation", detail,
         best_score as "bestScore", final_score as "finalScore",
         (select coalesce(json_agg(coalesce(s.observation, '') order by s.step), '[]') from steps s
          where s.run_id = r.run_id) as observations,
         (select coalesce(json_agg(json_build_object('kind', e.kind, 'split', e.split, 'status', e.status,
            'primary', e.primary_score, 'message', e.message) order by e.number, e.split), '[]')
          from evaluations e where e.run_id = r.run_id) as evaluations
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

  /** All that the product wrote down about the runs, but what the attackers said themselves. */
  async record(): Promise<string> {
    const rows = await this.home.sql<{ text: string | null }>(
      `select observation as text from steps
       union all select message from evaluations
       union all select detail from events
       union all select detail from runs
       union all select error from model_calls`,
    );
    return rows.map(({ text }) => text ?? '').join('\n');
  }

  async remove(): Promise<void> {
    await this.home.remove();
    rmSync(this.#dir, { recursive: true, force: true });
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
