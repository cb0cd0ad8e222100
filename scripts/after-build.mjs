// Copies what tsc does not: SQL migrations sit beside the compiled code that runs them.
import { cpSync, chmodSync, existsSync, rmSync } from 'node:fs';

rmSync('dist/db/migrations', { recursive: true, force: true });
if (existsSync('db/migrations')) cpSync('db/migrations', 'dist/db/migrations', { recursive: true });
if (existsSync('dist/cli/main.js')) chmodSync('dist/cli/main.js', 0o755);
