import { join } from 'node:path';
import { execa } from 'execa';
import type { TestProject } from 'vitest/node';
import { prepareBeside } from '../beside-the-tests.js';
import type { ServerAddress } from '../databases.js';
import { startPostgres } from '../postgres.js';
import { declaredRowsFile, rowsNotSeen } from '../rows/watched-answers.js';
import { clearEnvironment, makeScratch, say } from './environment.js';

const WRITER = join(import.meta.dirname, '../rows/write-declared-rows.ts');
/** The share of the calls which declare a row that tests must have asked. */
const SEEN = 0.85;

/** Project `sql`: one PostgreSQL server; each file copies databases from a migrated template. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { scratch, remove } = makeScratch();
  const [written, stopPostgres] = await Promise.all([
    prepareBeside('declared-rows', scratch, () =>
      execa('node', ['--import', 'tsx', WRITER, declaredRowsFile(scratch)]),
    ),
    setUpPostgres(project),
  ]);
  return async () => {
    try {
      await written();
      await stopPostgres();
      await reportSeen(project, scratch);
    } finally {
      remove();
    }
  };
}

export async function setUpPostgres(project: TestProject): Promise<() => Promise<void>> {
  clearEnvironment();
  const server = await startPostgres({ maxConnections: 400 });
  project.provide('postgres', await server.prepareTemplate());
  return () => server.stop();
}

/** Of whole runs alone. */
async function reportSeen(project: TestProject, scratch: string): Promise<void> {
  const { testFiles } = await project.globTestFiles();
  const ran = project.vitest.state.getFiles().filter((file) => file.projectName === project.name);
  if (ran.length < testFiles.length || project.config.testNamePattern !== undefined) return;
  const { calls, unseen } = rowsNotSeen(scratch);
  const seen = calls.length - unseen.length;
  say(`${seen} of ${calls.length} rows that db/ declares were compared with PostgreSQL's; not ${unseen.join(', ')}`);
  if (seen >= calls.length * SEEN) return;
  say('FAILED: these are too few; let tests of test/sql ask them');
  process.exitCode = 1;
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: ServerAddress;
  }
}
