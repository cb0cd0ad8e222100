import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Program } from '../domain/agent/program.js';
import { BenchError, InfrastructureError } from '../domain/errors.js';

const DONE = 'bench-installed';
const LONGEST_MS = 20 * 60_000;
const UNREACHABLE = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|network/i;

/** The program's own folder, or one with npm packages, made when needed: /opt/program inside. */
export async function programFolder(program: Program | undefined, place: string): Promise<string | null> {
  const { folder, npm } = program?.install ?? {};
  if (folder !== undefined) {
    if (existsSync(folder)) return folder;
    throw new BenchError('usage', `install.folder ${folder} is not on this host`, {
      remedy: "Put the program there, or correct the agent's file.",
    });
  }
  if (npm === undefined) return null;
  const target = targetOf(npm, place);
  if (isInstalled(npm, place)) return target;
  return await shared(target, () => install(npm, target));
}

export const isInstalled = (npm: readonly string[], place: string): boolean =>
  existsSync(join(targetOf(npm, place), DONE));

const targetOf = (npm: readonly string[], place: string): string =>
  join(
    place,
    createHash('sha256')
      .update(JSON.stringify([...npm].sort()))
      .digest('hex')
      .slice(0, 16),
  );

const pending = new Map<string, Promise<string>>();

function shared(target: string, work: () => Promise<string>): Promise<string> {
  const known = pending.get(target);
  if (known !== undefined) return known;
  const running = work().finally(() => pending.delete(target));
  pending.set(target, running);
  return running;
}

/** Renamed into place, so that one worker wins. No package scripts: they would run on this host. */
async function install(npm: readonly string[], target: string): Promise<string> {
  const aside = `${target}.${process.pid}`;
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true, mode: 0o755 });
  await writeFile(join(aside, 'package.json'), JSON.stringify({ name: 'program', private: true }));
  try {
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock', '--loglevel=error'];
    await execa('npm', ['install', ...flags, ...npm], { cwd: aside, timeout: LONGEST_MS, stdin: 'ignore' });
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    const {
      stderr = '',
      shortMessage = String(error),
      code,
    } = error as {
      stderr?: string;
      shortMessage?: string;
      code?: string;
    };
    if (code === 'ENOENT')
      throw new BenchError('usage', `this host has no npm, which is needed to install ${npm.join(' ')}`, {
        remedy:
          "Install npm there, or put the program into a folder and name it as install.folder in the agent's file.",
        cause: error,
      });
    const message = `npm cannot install ${npm.join(' ')}: ${(stderr || shortMessage).slice(0, 500)}`;
    if (UNREACHABLE.test(stderr)) throw new InfrastructureError(message, { cause: error });
    throw new BenchError('usage', message, { remedy: "Correct install.npm in the agent's file.", cause: error });
  }
  await writeFile(join(aside, DONE), '');
  await rename(aside, target).catch(async (error: unknown) => {
    await rm(aside, { recursive: true, force: true });
    if (!existsSync(join(target, DONE))) throw error;
  });
  return target;
}
