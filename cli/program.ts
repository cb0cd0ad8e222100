import { Command } from 'commander';
import * as agents from './commands/agents.js';
import * as cancel from './commands/cancel.js';
import * as db from './commands/db.js';
import * as demo from './commands/demo.js';
import * as doctor from './commands/doctor.js';
import * as down from './commands/down.js';
import * as events from './commands/events.js';
import * as hosts from './commands/hosts.js';
import * as human from './commands/human.js';
import * as images from './commands/images.js';
import * as leaderboard from './commands/leaderboard.js';
import * as leases from './commands/leases.js';
import * as logs from './commands/logs.js';
import * as models from './commands/models.js';
import * as replay from './commands/replay.js';
import * as resume from './commands/resume.js';
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
  'Run:': [submit, human, replay, resume, cancel],
  'Look:': [status, watch, runs, show, logs, trajectory, events, leases, hosts],
  'Results:': [leaderboard, sql, db],
  'Set up:': [tasks, models, agents, images, validateConfig, worker],
};

export const describeSettings = `
Settings come from the environment, then ./.env, then $BENCH_HOME/.env:
  BENCH_HOME          where everything is kept (default ~/.bench)
  DATABASE_URL        a PostgreSQL to use instead of the embedded one
  TEMPORAL_ADDRESS    a Temporal to use instead of the embedded one; TEMPORAL_NAMESPACE (default)
  DOCKER_HOST         a Docker engine other than the machine's own; DOCKER_TLS_VERIFY, DOCKER_CERT_PATH
  BENCH_PODMAN_HOST   the socket of podman's service, if it is not the usual one
  BENCH_ENGINE_REMOTE 1: the engine's socket is forwarded from another machine
  BENCH_WORKER        external: workers run elsewhere, start none here
  BENCH_CONFIGS       a folder with tasks/, agents/, suites/ instead of the bundled one
  BENCH_DEBUG         1: errors with their stack

Exit codes: 0 done, 1 the work failed, 2 bad usage or configuration, 130 left by Ctrl-C.`;

/** Every command; `--json` belongs to each. */
export function buildProgram(context: CliContext): Command {
  const program = new Command('bench')
    .description('Runs AI research agents against machine-learning tasks, in bulk, and never loses a run.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.output.print(text.trimEnd()),
      writeErr: (text) => context.output.logRaw(text),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('`bench --help` and `bench <command> --help` say what there is.')
    .addHelpCommand(
      new Command('help').argument('[command]').description('the help of a command').helpGroup('Start here:'),
    )
    .addHelpText('after', describeSettings);
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
