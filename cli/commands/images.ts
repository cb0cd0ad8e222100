import { type Command, Option } from 'commander';
import type { EngineBackend } from '../../activities/docker/engine-address.js';
import { chooseBase } from '../../activities/docker/base-image.js';
import type { CliContext } from '../context.js';
import { ensureImages, requireEngine } from '../submission/choose-backend.js';

export function register(program: Command, context: CliContext): void {
  const images = program
    .command('images')
    .summary('container images')
    .description('The images that agents and evaluators live in.');
  images
    .command('build')
    .summary('build them now')
    .description('Build the images of agents and evaluators now, if the engine lacks them; else first use builds them.')
    .option(
      '--base <image>',
      'image to build on, now and from now on; default: python:3.11-slim, or a Debian made with debootstrap',
    )
    .addOption(new Option('--backend <engine>', 'whose images').choices(['docker', 'podman']).default('docker'))
    .action(async (options: { base?: string; backend: EngineBackend }) => {
      const { settings, output } = context;
      const docker = await requireEngine(options.backend, settings);
      const built = await ensureImages(context, options.backend, docker, options.base);
      if (options.base !== undefined) await chooseBase(docker, options.base);
      output.json({ images: built });
      for (const image of built) output.print(`${image.kind}: ${image.ref} (${image.digest})`);
    });
}
