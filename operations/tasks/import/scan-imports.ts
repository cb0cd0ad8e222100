import { join } from 'node:path';
import { execa } from 'execa';
import { findPython } from '../../../backends/local/find-python.js';
import { BenchError } from '../../../domain/errors.js';

export interface ScanOrder {
  /** Path in the workspace → path on this machine. */
  files: Readonly<Record<string, string>>;
  entry: string;
}

export interface ImportScan {
  /** Files of the workspace that the entry imports, directly or through others. */
  local: string[];
  /** Their top-level modules that are neither Python's nor of the workspace. */
  packages: string[];
  problem: string | null;
}

/** Reads imports from syntax trees: runs nothing of a checkout. */
export async function scanImports(assetsRoot: string, orders: readonly ScanOrder[]): Promise<ImportScan[]> {
  const python = await findPython(undefined, null);
  const program = join(assetsRoot, 'datasets', 'mlgym', 'scan_imports.py');
  const { stdout, stderr, exitCode } = await execa(python, ['-sB', program], {
    input: JSON.stringify(orders),
    reject: false,
  });
  if (exitCode !== 0)
    throw new BenchError('failed', `the checkout's programs could not be read: ${String(stderr).slice(-800)}`);
  return JSON.parse(String(stdout)) as ImportScan[];
}
