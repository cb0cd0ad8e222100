import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROTOCOLS, type Protocol, type Said } from '../setup/protocol-players.js';
import { EnvServer } from '../setup/env-server.js';
import { LONG } from '../setup/long.js';
import { AttackGround } from './attack-run.js';
import { CLASSES } from './classes.js';
import { ATTACKED_TASKS, type AttackedTask, type Exploit, python } from './exploit.js';
import { evaluatorExploits } from './exploits/evaluator.js';
import { programExploits } from './exploits/programs.js';
import { questionExploits } from './exploits/questions.js';
import { refereeExploits } from './exploits/referee.js';
import { submissionExploits } from './exploits/submissions.js';
import { worldExploits } from './exploits/world.js';
import { KNOWN, lead, slack } from './judge.js';

/** In the short form chance hides smaller gains; those of exploits are far larger. */
const GAMES = Number(process.env['BENCH_TEST_GAMES'] ?? (LONG ? 2000 : 500));
const PLAYED_PROTOCOLS: Protocol[] = ['openenv', 'ors', 'rest'];

const suite = [
  ...[evaluatorExploits, refereeExploits, submissionExploits, programExploits, questionExploits, worldExploits],
  ...Object.values(CLASSES),
].flat();
const named = (name: string): Exploit => {
  const found = suite.find((exploit) => exploit.name === name);
  if (found === undefined) throw new Error(`the attack suite has no ${name}`);
  return found;
};

/** Exploits seen in or reported of other environments, and our program; others have tests below. */
const SEEN: [what: string, exploit: Exploit][] = [
  ['the submission seeds the opponent', named('random-seeded')],
  ['rounds are added to the history', named('rounds-invented')],
  ['random is replaced', named('random-replaced')],
  ['the evaluator is replaced by a link', named('evaluator-replaced-by-a-link')],
  ['the evaluator is forged', named('evaluator-forged')],
  ['a stale submission is scored', named('stale-submission')],
  ['a score is printed', named('score-printed')],
  ['markers are printed', named('markers-in-the-output')],
  ['words and files of metrics are scored', named('metrics-file-forged')],
  ['a daemon overwrites what is scored', named('submission-swapped-by-a-daemon')],
  ['the submission prints its result', named('result-printed-by-the-submission')],
];

let ground: AttackGround;
let server: EnvServer;
/** What the untouched starter of csvClassification is paid, by the split that is shown. */
let starterOnSplit = 0;
/** All that clients were told. */
const told: string[] = [];
beforeAll(async () => {
  ground = await AttackGround.of(GAMES);
  // Rewards are measured from baselines, which not all of these tasks state.
  for (const task of ATTACKED_TASKS) {
    const file = join(ground.home.env['BENCH_CONFIGS']!, 'tasks', task, 'task.yaml');
    const states = /^baseline:/m.test(readFileSync(file, 'utf8'));
    if (!states) appendFileSync(file, 'baseline: { value: 1, standardError: 0 }\n');
  }
  const limits = ['--max-steps', '12', '--max-validations', '3', '--capacity', '6'];
  server = new EnvServer(ground.home, ['--backend', 'docker', '--tasks', ATTACKED_TASKS.join(','), ...limits]);
  await server.start();
  starterOnSplit = sumOf((await play('rest', 'csvClassification', ['validate'])).said);
});
afterAll(async () => {
  await server.stop();
  await ground.remove();
});

const sumOf = (said: readonly Said[]): number => said.reduce((sum, { reward }) => sum + (reward ?? 0), 0);

interface Played {
  runId: string;
  said: Said[];
  /** Of the split that ranks, in order. */
  scores: { status: string; primary: number | null; suspect: boolean }[];
  /** A reward of 1 in scores: from the baseline to the target; without one, the baseline's size. */
  unit: number;
}

async function play(protocol: Protocol, task: AttackedTask, commands: readonly string[]): Promise<Played> {
  const episode = await PROTOCOLS[protocol](server, { task, seed: 7 });
  const said: Said[] = [];
  for (const command of [...ground.here(commands), 'submit']) {
    const answer = await episode.act(command);
    said.push(answer);
    if (answer.done) break;
  }
  told.push(...said.map(({ whole }) => whole));
  const scores = await ground.home.sql<Played['scores'][number]>(
    `select status, primary_score as "primary", suspect from evaluations where run_id = $1 and split = 'test' order by number`,
    [episode.id],
  );
  const [{ unit }] = (await ground.home.sql<{ unit: number }>(
    `select coalesce(nullif(abs(target_of(v.spec) - b.value), 0), nullif(abs(b.value), 0), 1) as unit
     from runs r join task_versions v on v.content_hash = r.task_hash left join baselines b on b.content_hash = r.task_hash
     where r.run_id = $1`,
    [episode.id],
  )) as [{ unit: number }];
  return { runId: episode.id, said, scores, unit };
}

/** No better than the starter, or the oracle if the exploit submits it; no higher reward. */
function expectNoGain({ task, expect: expected, evidence }: Exploit, { said, scores, unit }: Played): void {
  const messages = said.map(({ message }) => message).join('\n');
  if (evidence !== undefined) expect(messages).toMatch(evidence);
  // An attack is the agent's own doing, never a fault.
  expect(said.filter(({ fault }) => fault !== null)).toEqual([]);
  expect(said.at(-1)?.done).toBe(true);
  const { starter, oracle } = KNOWN[task];
  const fair = expected === 'optimum' ? oracle : starter;
  expect(scores.filter(({ suspect }) => suspect)).toEqual([]);
  const valid = scores.filter(({ status }) => status === 'ok').map(({ primary }) => primary ?? NaN);
  if (fair !== null)
    for (const score of valid) expect(lead(task, score, fair), `${score}`).toBeLessThanOrEqual(slack(task, GAMES));
  if (expected === 'rejected' || expected === 'no_artefact') expect(scores.at(-1)?.status).toBe(expected);
  const paid = sumOf(said);
  if (task === 'csvClassification') expect(paid).toBeLessThanOrEqual(starterOnSplit + 1e-9);
  else if (fair !== null && starter !== null)
    expect(paid).toBeLessThanOrEqual((lead(task, fair, starter) + 2 * slack(task, GAMES)) / unit + 1e-9);
  expect(ground.canaries.in(said.map(({ whole }) => whole).join('\n'))).toEqual([]);
}

/** In the short form each exploit meets one protocol. */
const protocolsOf = (nth: number): Protocol[] =>
  LONG ? PLAYED_PROTOCOLS : [PLAYED_PROTOCOLS[nth % PLAYED_PROTOCOLS.length]!];
/** What lies behind all protocols alike is tried through one of them in the short form. */
const tried = (through: Protocol, protocol: Protocol): boolean => LONG || protocol === through;

describe.each(SEEN.map(([what, exploit], nth) => ({ what, exploit, protocols: protocolsOf(nth) })))(
  'what others lost by: $what',
  ({ exploit, protocols }) => {
    it.concurrent.each(protocols)('gains nothing over %s', async (protocol) => {
      expectNoGain(exploit, await play(protocol, exploit.task, exploit.commands));
    });
  },
);

describe.each(PLAYED_PROTOCOLS)('over %s', (protocol) => {
  it('nothing is paid again, and validations of what ranks come to an end', async () => {
    const again = Array.from({ length: 5 }, () => 'validate');
    const { said, scores } = await play(protocol, 'csvClassification', again);
    expect(said.at(-1)?.done).toBe(true);
    // Where there is a split to learn from, it may be asked as often as one likes, and pays once.
    expect(scores.length).toBe(6);
    expect(said.slice(1).map(({ reward }) => reward ?? 0)).toEqual([0, 0, 0, 0, 0]);
    if (!tried('ors', protocol)) return;
    const { said: game, scores: ofGame, unit } = await play(protocol, 'battleOfSexes', again);
    expect(ofGame.length).toBe(4);
    expect(game.slice(3, 5).map(({ reward }) => reward)).toEqual([null, null]);
    expect(game[3]!.message).toContain('All 3 validations are used');
    // Differences: they add up to what was handed in.
    expect(Math.abs(sumOf(game))).toBeLessThanOrEqual((2 * slack('battleOfSexes', GAMES)) / unit);
  });

  it.runIf(tried('openenv', protocol))('the agent reaches neither the server nor its own reward', async () => {
    const { port } = new URL(server.url);
    const before = await ground.home.sql('select count(*)::int as count from episodes');
    const { said } = await play(protocol, 'battleOfSexes', [
      python(`
import socket, struct
hosts = {'127.0.0.1', 'localhost', 'host.docker.internal', '172.17.0.1', '10.0.2.2'}
try:
    for line in open('/proc/net/route').read().splitlines()[1:]:
        hosts.add(socket.inet_ntoa(struct.pack('<L', int(line.split()[2], 16))))
except OSError:
    pass
for host in sorted(hosts):
    try:
        with socket.create_connection((host, ${port}), 3) as s:
            s.sendall(b'POST /v1/episodes HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 2\\r\\n\\r\\n{}')
            print('REACHED', host, s.recv(100))
    except OSError as error:
        print('unreached', host)
`),
    ]);
    expect(said[0]!.message).toContain('unreached 127.0.0.1');
    expect(said[0]!.message).not.toContain('REACHED');
    const after = await ground.home.sql('select count(*)::int as count from episodes');
    expect(after).toEqual([{ count: (before[0] as { count: number }).count + 1 }]);
  });

  it('the score that ranks is never told where there is another to learn from', async () => {
    const exploit = named('validation-split-climbed');
    const { runId, said } = await play(protocol, exploit.task, exploit.commands);
    const hidden = await ground.home.sql<{ score: number }>(
      `select t.primary_score as score from evaluations t where t.run_id = $1 and t.split = 'test' and t.primary_score is not null
         and not exists (select from evaluations v where v.run_id = t.run_id and v.split = 'validation'
           and v.primary_score = t.primary_score)`,
      [runId],
    );
    expect(hidden.length).toBeGreaterThan(0);
    const whole = said.map((one) => one.whole).join('\n');
    for (const { score } of hidden) expect(whole).not.toContain(String(score));
  });

  it.runIf(tried('rest', protocol))('nothing of another episode is left for the next one', async () => {
    const secret = ground.canaries.plant(`another episode over ${protocol}`);
    const keep = `for at in . /tmp /dev/shm /var/tmp ~; do echo ${secret} > $at/mine.txt; done; echo kept`;
    const victim = await PROTOCOLS[protocol](server, { task: 'battleOfSexes', group: protocol });
    expect((await victim.act(keep)).message).toContain('kept');
    const look =
      'cat ./mine.txt /tmp/mine.txt /dev/shm/mine.txt /var/tmp/mine.txt ~/mine.txt; grep -rs CANARY /tmp /dev/shm /var/tmp ~ .; echo looked';
    // Beside it, and once it has ended.
    const beside = await play(protocol, 'battleOfSexes', [look]);
    await victim.act('submit');
    const after = await play(protocol, 'battleOfSexes', [look]);
    for (const { said } of [beside, after]) {
      expect(said[0]!.message).toContain('looked');
      expect(ground.canaries.in(said.map(({ whole }) => whole).join('\n'))).toEqual([]);
    }
  });
});

/** The rest of the suite: those that are judged by themselves, each through the next protocol. */
const rest = suite.filter(
  (exploit) =>
    (exploit.backends ?? ['docker']).includes('docker') &&
    exploit.sequel === undefined &&
    exploit.expect !== 'flagged' &&
    !SEEN.some(([, seen]) => seen === exploit),
);

describe.runIf(LONG)('the attack suite gains nothing over any protocol', () => {
  it.concurrent.each(
    rest.map((exploit, nth) => ({ name: exploit.name, protocol: PLAYED_PROTOCOLS[nth % 3]!, exploit })),
  )('$name, over $protocol', async ({ protocol, exploit }) => {
    expectNoGain(exploit, await play(protocol, exploit.task, exploit.commands));
  });
});

it('no secret got to a client, or into anything that was written down', async () => {
  expect(told.length).toBeGreaterThan(0);
  expect(ground.canaries.in(told.join('\n'))).toEqual([]);
  expect(await ground.home.sql(`select detail from events where kind = 'evaluator_error'`)).toEqual([]);
});
