import type { Command } from 'commander';
import { buildImagesRequestSchema } from '../../domain/requests/tasks.js';
import type { CliContext } from '../context.js';
import { buildImages } from '../../operations/home/build-images.js';
import { requestFields, requestOptions } from '../schema-flags.js';
import type { ImagesDocument } from '../../domain/views/home.js';

export function register(program: Command, context: CliContext): void {
  const images = program
    .command('images')
    .summary('build container images')
    .description('Build the container images of agents and evaluators.');
  const build = images
    .command('build')
    .summary('build images now')
    .description('Build missing images of agents and evaluators now, instead of at first use. Ctrl-C cancels a build.')
    .action(async (options: Record<string, unknown>) => {
      const { output } = context;
      const { images: built, layers } = await buildImages(
        context,
        requestFields(buildImagesRequestSchema.shape, options),
      );
      output.json({ images: built, layers } satisfies ImagesDocument);
      for (const image of built) output.print(`${image.kind}: ${image.ref} (${image.digest})`);
      for (const layer of layers) output.print(`${layer.task}, ${layer.kind}: ${layer.ref} (${layer.digest})`);
    });
  for (const option of requestOptions(buildImagesRequestSchema.shape)) build.addOption(option);
}
