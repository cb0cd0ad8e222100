import { Command } from 'commander';
import * as agents from './commands/agents.js';
import * as batches from './commands/batches.js';
import * as cancel from './commands/cancel.js';
import * as comparison from './commands/comparison.js';
import * as db from './commands/db.js';
import * as demo from './commands/demo.js';
import * as doctor from './commands/doctor.js';
import * as down from './commands/down.js';
import * as events from './commands/events.js';
import * as exports from './commands/export.js';
import * as fork from './commands/fork.js';
import * as hosts from './commands/hosts.js';
import * as human from './commands/human.js';
import * as imports from './commands/import.js';
import * as images from './commands/images.js';
import * as leaderboard from './commands/leaderboard.js';
import * as leases from './commands/leases.js';
import * as limits from './commands/limits.js';
import * as logs from './commands/logs.js';
import * as models from './commands/models.js';
import * as pause from './commands/pause.js';
import * as prune from './commands/prune.js';
import * as replay from './commands/replay.js';
import * as report from './commands/report.js';
import * as resume from './commands/resume.js';
import * as retry from './commands/retry.js';
import * as runs from './commands/runs.js';
import * as show from './commands/show.js';
import * as sql from './commands/sql.js';
import * as status from './commands/status.js';
import * as submit from './commands/submit.js';
import * as tasks from './commands/tasks.js';
import * as trajectory from './commands/trajectory.js';
import * as up from './commands/up.js';
import * as validateConfig from './commands/validate-config.js';
import * as watch from './commands/watch.js';
import * as worker from './commands/worker.js';
import type { CliContext } from './context.js';

/** In the order of `bench --help`. */
const GROUPS = {
  'Start here:': [demo, up, down, doctor],
  'Run:': [submit, human, replay, fork, pause, resume, retry, cancel],
  'Look:': [batches, status, watch, runs, show, logs, trajectory, events, leases, hosts, limits],
  'Results:': [leaderboard, report, comparison, sql, exports, imports, db],
  'Set up:': [tasks, models, agents, images, prune, validateConfig, worker],
};

export const describeSettings = `
Settings come from the environment, then ./.env, then $BENCH_HOME/.env:
  BENCH_HOME          where everything is kept (default ~/.bench)
  DATABASE_URL        a PostgreSQL to use instead of the embedded one
  TEMPORAL_ADDRESS    a Temporal to use instead of the embedded one; TEMPORAL_NAMESPACE (default)
  TEMPORAL_TLS        true: speak TLS with it; TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH,
                      TEMPORAL_TLS_SERVER_CA_CERT_PATH, TEMPORAL_TLS_SERVER_NAME; TEMPORAL_API_KEY
  DOCKER_HOST         a Docker engine other than the machine's own; DOCKER_TLS_VERIFY, DOCKER_CERT_PATH
  BENCH_PODMAN_HOST   the socket of podman's service, if it is not the usual one
  BENCH_ENGINE_REMOTE 1: the engine's socket is forwarded from another machine
  BENCH_WORKER        external: workers run elsewhere, start none here
  BENCH_CONFIGS       a folder with tasks/, agents/, suites/ instead of the bundled one
  BENCH_ARTIFACTS     where submissions and snapshots lie (default $BENCH_HOME/artifacts)
  BENCH_ADMIN_DATABASE_URL  the schema's owner, for \`bench db migrate\` and \`bench db roles\` alone
  BENCH_DATABASE_POOL connections of a worker to the database (default 10)
  BENCH_LOG_LEVEL     of workers: error, warn, info, debug, trace (default info)
  BENCH_METRICS       [host:]port at which a worker shows figures for Prometheus
  BENCH_DEBUG         1: errors with their stack

Exit codes: 0 done, 1 the work failed, 2 bad usage or configuration, 130 left by Ctrl-C.`;

/** They change nothing that runs, so they start nothing that `bench down` stopped. */
const LOOKS = new Set(
  [
    ...[
      'status',
      'watch',
      'batches',
      'runs',
      'show',
      'logs',
      'trajectory',
      'events',
      'leases',
      'hosts list',
      'limits list',
    ],
    ...['leaderboard', 'report', 'comparison list', 'comparison show', 'sql', 'export'],
  ].map((name) => `bench ${name}`),
);

const fullName = (command: Command): string =>
  command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;

/** Every command; `--json` belongs to each. */
export function buildProgram(context: CliContext): Command {
  const program = new Command('bench')
    .description('Runs AI research agents against machine-learning tasks, in bulk, and never loses a run.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.output.print(text.trimEnd()),
      writeErr: (text) => context.output.drawLog(text),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('`bench --help` and `bench <command> --help` say what there is.')
    .addHelpCommand(
      new Command('help').argument('[command]').description('the help of a command').helpGroup('Start here:'),
    )
    .addHelpText('after', describeSettings)
    .hook('preAction', (_program, command) => {
      if (LOOKS.has(fullName(command))) context.looksOnly();
    });
  for (const [title, group] of Object.entries(GROUPS)) {
    for (const { register } of group) {
      const before = program.commands.length;
      register(program, context);
      program.commands.slice(before).forEach((command) => command.helpGroup(title));
    }
  }
  program.commands.forEach(addJson);
  return program;
}

function addJson(command: Command): void {
  if (command.commands.length > 0) command.commands.forEach(addJson);
  if (command.commands.length === 0) command.option('--json', 'one JSON document on stdout, everything else on stderr');
}
