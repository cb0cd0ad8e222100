// Last: the SQL lies beside the compiled code that runs it, and the workflows are bundled once, so that a
// worker that comes back after a crash does not spend its first second on it.
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

// What tells this build from another, wherever it lies: programs name their parts by hashes.
// The map of sources has paths.
const hash = createHash('sha256').update(code.replace(/\n\/\/# sourceMappingURL=.*/, ''));
for (const name of readdirSync('dist', { recursive: true, encoding: 'utf8' }).sort())
  if (/^(cli|envs|services|worker)\/[\w-]*main\.js$|^db\/(migrations|sql)\/.*\.(sql|json)$/.test(name))
    hash.update(`${name}\n${readFileSync(`dist/${name}`, 'utf8')}`);
writeFileSync('dist/build.json', `${JSON.stringify({ hash: hash.digest('hex').slice(0, 24) })}\n`);
