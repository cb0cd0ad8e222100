import { type Command, Option } from 'commander';
import type { CliContext } from '../context.js';
import { buildImages, type BuildRequest } from '../../operations/home/build-images.js';
import { commaList } from '../options.js';
import type { ImagesDocument } from '../../domain/views/home.js';

export function register(program: Command, context: CliContext): void {
  const images = program
    .command('images')
    .summary('build container images')
    .description('Build the container images of agents and evaluators.');
  images
    .command('build')
    .summary('build images now')
    .description('Build missing images of agents and evaluators now, instead of at first use. Ctrl-C ends a build.')
    .option(
      '--base <image>',
      'base image, kept for later builds; default: python:3.11-slim, or a Debian made with debootstrap',
    )
    .addOption(
      new Option('--backend <engine>', 'engine that builds them').choices(['docker', 'podman']).default('docker'),
    )
    .option(
      '--tasks <names>',
      'also build the layers of these tasks and suites, or `all`; see docs/reference/images.md',
      commaList,
    )
    .option('--profile <name>', 'build the layers of this profile, for tasks that have it')
    .action(async (options: BuildRequest) => {
      const { output } = context;
      const { images: built, layers } = await buildImages(context, options);
      output.json({ images: built, layers } satisfies ImagesDocument);
      for (const image of built) output.print(`${image.kind}: ${image.ref} (${image.digest})`);
      for (const layer of layers) output.print(`${layer.task}, ${layer.kind}: ${layer.ref} (${layer.digest})`);
    });
}
