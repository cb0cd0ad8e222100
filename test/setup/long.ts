/** Set by `npm run test:long`: tests with a long form take it. */
export const LONG = process.env['BENCH_TEST_LONG'] === '1';

/** Files that only the long suite runs, with their ordinary counterparts. */
export const LONG_FILES: Readonly<Record<string, string>> = {
  'test/chaos/drill.test.ts': 'starved-histories.test.ts freezes and starves the worker, crash.test.ts kills services',
  'test/chaos/storm.test.ts': 'crash.test.ts kills all services at once; home/snapshots.test.ts removes a container',
  'test/chaos/ledger.test.ts': 'sql/model-call.test.ts and sql/provider-zoo.test.ts charge each fault',
  'test/chaos/episodes-engine.test.ts':
    'home/episodes.test.ts kills services under episodes; home/snapshots.test.ts removes a container',
  'test/chaos/trees.test.ts': 'sql/trees.test.ts plays trees by the store alone',
  'test/chaos/auto-attempts.test.ts': 'sql/allocation.test.ts gives attempts out, once, whoever asks',
  'test/chaos/budget.test.ts': 'sql/model-call.test.ts and sql/gateway.test.ts reserve before they ask',
  'test/chaos/episodes.test.ts':
    'home/episodes.test.ts kills server and worker under episodes, crash.test.ts Temporal and PostgreSQL under runs',
  'test/home/new-engine.test.ts': 'join.test.ts has a machine join; engine/warm-pool.test.ts waits for an engine',
  'test/home/paid-trees.test.ts': 'sql/trees.test.ts has eight nodes in flight call a provider, by the store alone',
  'test/integrity/protocols.test.ts':
    'attack-suite.test.ts plays every class of attack; unit/envs/ has what the protocols refuse',
  'test/home/damaged-store.test.ts':
    'temporal/stuck-workflows.test.ts repairs workflows; services/temporal-store.test.ts finds what is damaged',
  'test/home/cut-off-hosts.test.ts':
    'sql/host-store.test.ts has hosts lost; worker/polling.test.ts has a worker stop and resume its polling',
  'test/home/external-turns.test.ts':
    'temporal/workflows.test.ts waits for answers from outside, sql/turns.test.ts takes them',
  'test/home/warm-episodes.test.ts': 'engine/warm-pool.test.ts starts sandboxes ahead and takes them',
  'test/chaos/full-disk.test.ts': 'engine/workspace-disk.test.ts fills the disk of a workspace',
  'test/chaos/episode-faults.test.ts':
    'home/episodes.test.ts kills services under episodes; sql/provider-zoo.test.ts has the faults of providers',
  'test/temporal/stopped-worker.test.ts': 'chaos/starved-histories.test.ts freezes and starves a real worker',
  'test/home/fleet.test.ts': 'join.test.ts has a machine join and play; sql/host-store.test.ts has hosts lost',
  'test/home/slurm.test.ts': "sql/host-store.test.ts has hosts leave; operations/slurm.test.ts runs the job's script",
  'test/home/rootless-podman.test.ts':
    'docker/enforced-limits.test.ts reads which limits engines say that they enforce',
  'test/home/slurm-podman.test.ts': "operations/slurm-podman.test.ts runs the job's script with stand-ins",
  'test/home/long-steps.test.ts': "openenv.test.ts plays commands that outlast a client's patience",
  'test/home/gpu-leases.test.ts':
    'workflows.test.ts grants and takes back GPUs, gpu-semaphore.test.ts simulates their holders',
  'test/home/notify.test.ts': 'sql/notifications.test.ts tells receivers that were away, by whichever worker is up',
  'test/home/overload.test.ts': 'fair-clock.test.ts and busy-machine.test.ts count CPU time instead of the clock',
  'test/browser/pictures.test.ts': 'pages.test.ts looks at each page in one size and scheme',
  'test/home/recorded-runs.test.ts': 'replay.test.ts plays a recorded run',
  'test/home/recorded-programs.test.ts': 'replay.test.ts plays a recorded run',
  'test/home/recorded-imports.test.ts': 'import-tasks.test.ts plays an imported task',
  'test/home/worker-metrics.test.ts': 'unit/domain/metrics/prometheus.test.ts writes the figures',
  'test/home/left-episodes.test.ts': 'episodes.test.ts gives up episodes that nobody asks after',
  'test/home/cancelled-evaluations.test.ts': 'sql/ended-runs.test.ts closes the evaluations of runs that end',
  'test/home/training-metrics.test.ts': 'sql/training-metrics.test.ts has all figures of training',
  'test/home/temporal-tls.test.ts': 'unit/domain/home/temporal-access.test.ts reads certificates and keys',
  'test/home/breaker.test.ts': 'sql/breaker.test.ts pauses batches, resumes them, and counts ends of all kinds',
  'test/home/splits.test.ts': 'sql/run-store-splits.test.ts stores, shows and ranks scores of both splits',
  'test/home/special-commands.test.ts':
    'python/agent-tools/ runs each command; modern-agent.test.ts plays a run with commands of its own',
  'test/home/own-configs.test.ts': 'unit/catalog/layered-folders.test.ts adds, replaces and breaks entries',
  'test/browser/figures.test.ts':
    'pages.test.ts opens each page with its figures; unit/web/leaderboard-charts.test.ts draws charts',
  'test/home/image-builds.test.ts': 'engine/image-layers.test.ts builds images; cli-batch.test.ts refuses GPUs',
  'test/home/play.test.ts':
    'sql/turns.test.ts has the questions of a run and their answers; temporal/workflows.test.ts waits for them',
  'test/home/import-tasks.test.ts':
    'python/task-import/import-tasks.test.ts imports tasks and scores them by their own evaluators',
  'test/home/python-client.test.ts':
    'episodes.test.ts plays the same routes; the client has its own tests in test/pytest',
  'test/home/tasks-verify.test.ts':
    'unit/operations/tasks/judge-task.test.ts judges tasks; engine/evaluator-kinds.test.ts scores them',
  'test/home/examples.test.ts':
    'cli-launcher.test.ts starts an installed command; sql/turns.test.ts has the questions of a run and their answers',
  'test/home/ors.test.ts': 'openenv.test.ts plays the same episodes; unit/envs/ has its messages',
  'test/home/task-environment.test.ts': 'engine/image-layers.test.ts makes images of what tasks require',
  'test/engine/harbor-tasks.test.ts':
    'unit/operations/tasks/import-harbor.test.ts imports tasks; evaluator-kinds.test.ts scores what is handed in',
  'test/engine/evaluator-questions.test.ts':
    'integrity/attack-suite.test.ts attacks evaluators; evaluator-kinds.test.ts has models and programs',
  'test/browser/first-view.test.ts': 'pages.test.ts opens each page',
  'test/browser/outage.test.ts': 'sql/page-live.test.ts has services that do not answer',
  'test/temporal/full-shard.test.ts': 'workflows.test.ts continues histories as new; replay.test.ts replays them',
  'test/home/schedules.test.ts':
    'sql/schedules.test.ts has nights, gates and what they find; temporal/workflows.test.ts the workflow of a night',
  'test/home/hosts.test.ts':
    'join.test.ts has a machine join and play; sql/host-store.test.ts has hosts lost and replaced',
  'test/home/rollouts.test.ts':
    'unit/domain/rollouts/ and unit/envs/ have their rules; openenv.test.ts plays episodes over the same server',
  'test/home/page.test.ts': 'browser/pages.test.ts opens each page; sql/page-routes.test.ts has its answers',
  'test/home/protocols.test.ts': 'openenv.test.ts and episodes.test.ts play; unit/envs/ has what each protocol refuses',
  'test/home/exit-codes.test.ts': 'unit/cli/ has the code of each error',
  'test/home/cli-bad-input.test.ts': 'unit/cli/usage-errors.test.ts refuses wrong options; unit/catalog/ wrong files',
  'test/home/trees.test.ts': 'sql/trees.test.ts plays trees by the store alone',
  'test/home/real-models.test.ts':
    'sql/provider-zoo.test.ts and sql/model-call.test.ts speak each dialect; modern-agent.test.ts plays over one',
  'test/home/terminated-workflows.test.ts':
    'temporal/stuck-workflows.test.ts repairs workflows; sql/ended-runs.test.ts closes what they left',
  'test/home/taken-submissions.test.ts':
    'sql/submission.test.ts takes what is handed in; engine/evaluator-kinds.test.ts scores it',
  'test/home/cli-import-export.test.ts': 'sql/exchange-in.test.ts and sql/exchange-out.test.ts have both directions',
  'test/chaos/slices.test.ts': 'crash.test.ts kills all services at once; starved-histories.test.ts freezes the worker',
  'test/engine/game-tasks.test.ts':
    'python/evaluator/game-tasks.test.ts scores games; evaluator-kinds.test.ts evaluates in containers',
  'test/engine/kept-disks.test.ts':
    'workspace-disk.test.ts fills the disk of a workspace; sandbox-port-snapshots.test.ts keeps files',
  'test/browser/hostile-text.test.ts':
    'unit/web/text/render-text.test.ts renders hostile text; cross-site.test.ts has a hostile page',
  'test/browser/asking.test.ts': "pages.test.ts opens each page; sql/turns.test.ts takes a person's answers",
  'test/browser/static-form.test.ts': 'sql/static-form.test.ts and sql/page-export.test.ts write the exported page',
  'test/home/temporal-away.test.ts':
    'sql/page-live.test.ts has services that do not answer; crash.test.ts kills Temporal',
  'test/home/migrate-compiled.test.ts': 'sql/migrate.test.ts migrates; compiled-code.test.ts runs what was built',
  'test/home/cli-batch-control.test.ts':
    'cli-batch.test.ts submits batches; unit/operations/ plans them; sql/ pauses, cancels and repeats them',
  'test/home/services-external.test.ts':
    'unit/domain/home/temporal-access.test.ts reads the settings; services.test.ts starts and finds services',
  'test/home/services-start-failures.test.ts': 'services.test.ts starts services and restarts what was killed',
  'test/engine/evaluator-port.test.ts':
    'integrity/attack-suite.test.ts attacks evaluators; evaluator-kinds.test.ts evaluates in containers',
  'test/engine/full-home-disk.test.ts': 'workspace-disk.test.ts fills the disk of a workspace',
  'test/chaos/infrastructure-faults.test.ts':
    'sql/provider-zoo.test.ts and sql/model-call.test.ts have each fault by the store alone; starved-histories.test.ts plays on',
};
