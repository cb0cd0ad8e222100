// Last: the SQL lies beside the compiled code that runs it, and the workflows are bundled once, so that a
// worker that comes back after a crash does not spend its first second on it.
import { chmodSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';

for (const folder of ['migrations', 'sql']) {
  rmSync(`dist/db/${folder}`, { recursive: true, force: true });
  cpSync(`db/${folder}`, `dist/db/${folder}`, { recursive: true });
}
chmodSync('dist/cli/main.js', 0o755);
const workflowsPath = fileURLToPath(new URL('../dist/workflows/index.js', import.meta.url));
const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
writeFileSync('dist/workflow-bundle.js', code);
