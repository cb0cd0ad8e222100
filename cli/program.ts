import { Command } from 'commander';
import type { CliContext } from './context.js';
import { fullName, hintAtHelp, refuseExcess } from './usage-errors.js';

interface CommandModule {
  register: (program: Command, context: CliContext) => void;
}

/** In the order of `bench --help`. Loading them all takes longer than most commands. */
const GROUPS: Record<string, Record<string, () => Promise<CommandModule>>> = {
  'Start here:': {
    demo: () => import('./commands/demo.js'),
    up: () => import('./commands/up.js'),
    down: () => import('./commands/down.js'),
    doctor: () => import('./commands/doctor.js'),
  },
  'Run:': {
    plan: () => import('./commands/plan.js'),
    submit: () => import('./commands/submit.js'),
    fork: () => import('./commands/fork.js'),
    pause: () => import('./commands/pause.js'),
    resume: () => import('./commands/resume.js'),
    retry: () => import('./commands/retry.js'),
    cancel: () => import('./commands/cancel.js'),
    schedule: () => import('./commands/schedule.js'),
  },
  'Look:': {
    batches: () => import('./commands/batches.js'),
    status: () => import('./commands/status.js'),
    serve: () => import('./commands/serve.js'),
    watch: () => import('./commands/watch.js'),
    runs: () => import('./commands/runs.js'),
    show: () => import('./commands/show.js'),
    logs: () => import('./commands/logs.js'),
    trajectory: () => import('./commands/trajectory.js'),
    prompt: () => import('./commands/prompt.js'),
    events: () => import('./commands/events.js'),
    search: () => import('./commands/search.js'),
    tree: () => import('./commands/tree.js'),
    hosts: () => import('./commands/hosts.js'),
    limits: () => import('./commands/limits.js'),
  },
  'Results:': {
    leaderboard: () => import('./commands/leaderboard.js'),
    compare: () => import('./commands/compare.js'),
    comparisons: () => import('./commands/comparisons.js'),
    episodes: () => import('./commands/episodes.js'),
    sql: () => import('./commands/sql.js'),
    page: () => import('./commands/page.js'),
    export: () => import('./commands/export.js'),
    import: () => import('./commands/import.js'),
    db: () => import('./commands/db.js'),
  },
  'Set up:': {
    tasks: () => import('./commands/tasks.js'),
    models: () => import('./commands/models.js'),
    agents: () => import('./commands/agents.js'),
    images: () => import('./commands/images.js'),
    prune: () => import('./commands/prune.js'),
    'validate-config': () => import('./commands/validate-config.js'),
    tokens: () => import('./commands/tokens.js'),
    notify: () => import('./commands/notify.js'),
    worker: () => import('./commands/worker.js'),
    env: () => import('./commands/env.js'),
    completion: () => import('./commands/completion.js'),
  },
};

const describeSettings = `
Settings come from the environment, then ./.env, then $BENCH_HOME/.env:
  BENCH_HOME          folder of all data (default ~/.bench)
  DATABASE_URL        a PostgreSQL to use instead of the embedded one
  TEMPORAL_ADDRESS    a Temporal to use instead of the embedded one; TEMPORAL_NAMESPACE (default)
  TEMPORAL_TLS        true: use TLS; TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH,
                      TEMPORAL_TLS_SERVER_CA_CERT_PATH, TEMPORAL_TLS_SERVER_NAME; TEMPORAL_API_KEY
  DOCKER_HOST         a Docker engine other than the local one; DOCKER_TLS_VERIFY, DOCKER_CERT_PATH
  BENCH_PODMAN_HOST   the socket of podman's service, if not the usual one
  BENCH_ENGINE_REMOTE 1: the engine's socket is forwarded from another machine
  BENCH_WORKER        external: start no worker here
  BENCH_CONFIGS       a folder with tasks/, agents/, suites/, models/ instead of the bundled one
  BENCH_ARTIFACTS     folder or s3://bucket/prefix of submissions and snapshots (default $BENCH_HOME/artifacts)
  BENCH_OWNER_DATABASE_URL  the schema's owner, only for \`bench db migrate\` and \`bench db roles\`
  BENCH_DATABASE_POOL connections of a worker to the database (default 10)
  BENCH_LOG_LEVEL     log level of workers: error, warn, info, debug, trace (default info)
  BENCH_METRICS       [host:]port at which a worker serves Prometheus metrics
  BENCH_NOTIFY_URL    webhook that is notified when a batch ends, stalls or meets its budget; BENCH_NOTIFY_FORMAT,
                      BENCH_NOTIFY_ON, BENCH_NOTIFY_STALL, BENCH_NOTIFY_SECRET: docs/guides/running-batches.md
  BENCH_DEBUG         1: print the stacks of errors

Exit codes: 0 done, 1 the work failed, 2 bad usage or configuration, 3 and 4 verdicts of
\`compare --fail-if-worse\`, 130 stopped by Ctrl-C.`;

/** Read-only commands start nothing that `bench down` stopped. */
const LOOKS = new Set(
  [
    ...[
      'status',
      'watch',
      'batches list',
      'runs list',
      'show',
      'logs',
      'trajectory',
      'prompt',
      'events',
      'hosts list',
      'limits list',
      'notify list',
    ],
    ...['leaderboard', 'comparisons list', 'comparisons show', 'sql', 'export'],
    ...['schedule list', 'schedule show'],
    ...['episodes list', 'episodes show', 'episodes export', 'episodes reward'],
  ].map((name) => `bench ${name}`),
);

const tree = (command: Command): Command[] => [command, ...command.commands.flatMap(tree)];

const VERSION_ONLY = ['-V', '--version'];

/** Every command; with `asked` that one, or none for the version. Each has `--json`. */
export async function buildProgram(context: CliContext, asked?: string): Promise<Command> {
  const program = new Command('bench')
    .description('Runs AI research agents against machine-learning tasks, in bulk, and never loses a run.')
    .configureOutput({
      writeOut: (text) => context.output.print(text.trimEnd()),
      writeErr: (text) => context.output.drawLog(text),
    })
    .showSuggestionAfterError()
    .allowExcessArguments()
    .addHelpCommand(
      new Command('help').argument('[command]').description('show the help of a command').helpGroup('Start here:'),
    )
    .addHelpText('after', describeSettings)
    .hook('preAction', (_program, command) => {
      refuseExcess(command);
      if (LOOKS.has(fullName(command))) context.looksOnly();
    });
  const known = Object.values(GROUPS).some((group) => asked !== undefined && Object.hasOwn(group, asked));
  for (const [title, group] of Object.entries(GROUPS)) {
    for (const [name, load] of Object.entries(group)) {
      if (known ? name !== asked : asked !== undefined && VERSION_ONLY.includes(asked)) continue;
      const { register } = await load();
      const before = program.commands.length;
      register(program, context);
      program.commands.slice(before).forEach((command) => command.helpGroup(title));
    }
  }
  for (const command of tree(program)) {
    hintAtHelp(command);
    if (command !== program && command.commands.length === 0)
      command.option('--json', 'print one JSON document on stdout, everything else on stderr');
  }
  return program;
}
