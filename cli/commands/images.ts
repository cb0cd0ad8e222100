import { type Command, Option } from 'commander';
import type { EngineBackend } from '../../backends/docker/engine-address.js';
import type { CliContext } from '../context.js';
import { selectTasks, underProfile } from '../../catalog/index.js';
import { commaList } from '../options.js';
import { ensureTaskImages } from '../../operations/batches/ensure-task-images.js';
import { ensureImages, requireEngine } from '../../operations/batches/choose-backend.js';

export function register(program: Command, context: CliContext): void {
  const images = program
    .command('images')
    .summary('container images')
    .description('The images that agents and evaluators live in.');
  images
    .command('build')
    .summary('build them now')
    .description(
      'Build the images of agents and evaluators now, if the engine lacks them; else first use builds them. Ctrl-C ends a build.',
    )
    .option(
      '--base <image>',
      'image to build on, now and from now on; default: python:3.11-slim, or a Debian made with debootstrap',
    )
    .addOption(new Option('--backend <engine>', 'whose images').choices(['docker', 'podman']).default('docker'))
    .option(
      '--tasks <names>',
      'also the layers of these tasks, suites or all, with their requirements; see docs/reference/images.md',
      commaList,
    )
    .option('--profile <name>', 'those of the budget of this name, for tasks that have it')
    .action(async (options: { base?: string; backend: EngineBackend; tasks?: string[]; profile?: string }) => {
      const { settings, output } = context;
      const docker = await requireEngine(options.backend, settings);
      const { base } = options;
      const built = await context.abortable('image-build', (signal) =>
        ensureImages(context, options.backend, docker, { base, signal }),
      );
      if (options.base !== undefined) {
        const { chooseBase } = await import('../../backends/docker/base-image.js');
        await chooseBase(docker, options.base);
      }
      const named = options.tasks === undefined ? [] : selectTasks(settings.configsDir, options.tasks);
      const tasks = underProfile(named, { profile: options.profile ?? null, sample: false });
      const layers = await context.abortable('image-build', (signal) =>
        ensureTaskImages(context, tasks, options.backend, signal),
      );
      output.json({ images: built, layers });
      for (const image of built) output.print(`${image.kind}: ${image.ref} (${image.digest})`);
      for (const layer of layers) output.print(`${layer.task}, ${layer.kind}: ${layer.ref} (${layer.digest})`);
    });
}
