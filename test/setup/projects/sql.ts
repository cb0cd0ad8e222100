import { join } from 'node:path';
import { execa } from 'execa';
import type { TestProject } from 'vitest/node';
import { prepareBeside } from '../beside-the-tests.js';
import type { ServerAddress } from '../databases.js';
import { startPostgres } from '../postgres.js';
import { declaredRowsFile, rowsNotSeen } from '../rows/watched-answers.js';
import { clearEnvironment, makeScratch, say } from './environment.js';

const WRITER = join(import.meta.dirname, '../rows/write-declared-rows.ts');
/** Of the calls that declare a row, this share has answers in the tests: more code needs more tests. */
const SEEN = 0.5;

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
    await written();
    await stopPostgres();
    await reportSeen(project, scratch);
    remove();
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
  if (ran.length < testFiles.length) return;
  const { calls, unseen } = rowsNotSeen(scratch);
  say(`${calls - unseen.length} of ${calls} declared rows were compared with PostgreSQL's; not ${unseen.join(', ')}`);
  if (unseen.length > calls * (1 - SEEN)) process.exitCode = 1;
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: ServerAddress;
  }
}
