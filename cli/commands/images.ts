import { type Command, Option } from 'commander';
import type { CliContext } from '../context.js';
import { buildImages, type BuildRequest } from '../../operations/home/build-images.js';
import { commaList } from '../options.js';
import type { ImagesDocument } from '../../domain/views/home.js';

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
    .action(async (options: BuildRequest) => {
      const { output } = context;
      const { images: built, layers } = await buildImages(context, options);
      output.json({ images: built, layers } satisfies ImagesDocument);
      for (const image of built) output.print(`${image.kind}: ${image.ref} (${image.digest})`);
      for (const layer of layers) output.print(`${layer.task}, ${layer.kind}: ${layer.ref} (${layer.digest})`);
    });
}
