import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll } from 'vitest';

export const TOOLS = join(import.meta.dirname, '..', '..', '..', 'images', 'agent', 'tools');

export const COMMANDS = [
  'open',
  'goto',
  'scroll_up',
  'scroll_down',
  'create',
  'edit',
  'insert',
  'view_file',
  'write_file',
  'str_replace',
  'view_image',
  'start_job',
  'job_output',
  'stop_job',
  'mcp_tools',
  'mcp_call',
  'search_dir',
  'search_file',
  'find_file',
  'memory_read',
  'memory_write',
  'literature_search',
  'parse_pdf_url',
  'validate',
  'submit',
] as const;

export interface Answer {
  output: string;
  exitCode: number;
}

/** The tools with byte code, as in images: compiling would take longer than most calls. */
let compiled: string | undefined;
/** To be called at the top of each test file that makes AgentCommands: files share this module. */
export function compileTools(): void {
  beforeAll(() => {
    compiled = mkdtempSync(join(tmpdir(), 'bench-agent-tools-compiled-'));
    cpSync(TOOLS, compiled, { recursive: true });
    execFileSync('python3', ['-m', 'compileall', '-q', join(compiled, 'agent_tools')]);
  });
  afterAll(() => {
    if (compiled !== undefined) rmSync(compiled, { recursive: true, force: true });
    compiled = undefined;
  });
}

/** The agent's commands as the sandbox installs them, in a workspace of their own. */
export class AgentCommands {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), 'bench-agent-tools-')));
  /** Where the commands are, and where the supervisor's socket and the memory would be. */
  readonly bin = join(this.directory, 'bin');
  readonly home = join(this.directory, 'home');
  readonly workspace = join(this.directory, 'workspace');
  readonly stateFile = join(this.home, '.bench', 'state.json');

  constructor() {
    if (compiled === undefined) throw new Error('call compileTools() at the top of this test file');
    for (const directory of [this.bin, this.home, this.workspace]) mkdirSync(directory);
    writeFileSync(join(this.bin, 'agent-home'), `${this.home}\n`);
    for (const name of COMMANDS) symlinkSync(join(compiled, 'run_command.py'), join(this.bin, name));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** A script of the agent's shell, with the sandbox's input; its output and exit code. */
  async shell(script: string, environment: Record<string, string> = {}): Promise<Answer> {
    const { all, exitCode, signal } = await execa('bash', ['-c', `exec <>/dev/null\n${script}`], {
      all: true,
      cwd: this.workspace,
      env: {
        PATH: `${this.bin}:/usr/bin:/bin`,
        HOME: this.home,
        LANG: 'C.UTF-8',
        PYTHONDONTWRITEBYTECODE: '1',
        ...environment,
      },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      timeout: 300_000,
    });
    if (exitCode === undefined) throw new Error(`the script did not end: ${signal}\n${script}\n${all}`);
    return { output: all, exitCode };
  }

  /** Only the output, of a script that must succeed. */
  async output(script: string, environment: Record<string, string> = {}): Promise<string> {
    const { output, exitCode } = await this.shell(script, environment);
    if (exitCode !== 0) throw new Error(`exit code ${exitCode} of:\n${script}\n${output}`);
    return output;
  }
}
