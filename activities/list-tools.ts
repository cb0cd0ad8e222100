import { listedTools } from '../domain/agent/mcp.js';
import { BenchError, SandboxLost } from '../domain/errors.js';
import type { ToolLog } from '../domain/ports/record/tool-log.js';
import type { SandboxPort, SandboxRef } from '../domain/ports/sandbox-port.js';
import type { RunDefinition } from '../domain/run/run.js';

const SECONDS = 300;

/** Starts the agent's MCP servers, and records their tools once for the run. */
export async function listTools(
  { store, sandbox }: { store: ToolLog; sandbox: Pick<SandboxPort, 'exec'> },
  { runId, agentName, agent }: RunDefinition,
  ref: SandboxRef,
  signal: AbortSignal,
): Promise<void> {
  if (agent.tools.mcp === undefined || (await store.listedTools(runId)) !== null) return;
  const argv = ['mcp_tools'];
  const result = await sandbox.exec(ref, { key: 'mcp-tools', argv, timeLimitSeconds: SECONDS }, signal);
  if (result.kind === 'lost') throw new SandboxLost(`the MCP servers of run ${runId} were lost: ${result.why}`);
  if (result.kind === 'ended' && result.timedOut) return refuse(agentName, `no list of tools within ${SECONDS} s`);
  if (result.kind === 'refused') return refuse(agentName, result.why);
  const printed = result.stdout.kept.toString();
  if (result.exitCode !== 0) return refuse(agentName, `${printed}${result.stderr.kept.toString()}`.trim());
  const tools = listedTools(printed);
  if ('problem' in tools) return refuse(agentName, tools.problem);
  await store.saveListedTools(runId, tools);
}

function refuse(agentName: string, problem: string): never {
  throw new BenchError('usage', `agent ${agentName}: ${problem.slice(0, 2000)}`, {
    remedy: "Correct `tools.mcp` of the agent's file, or install the server in the task's image.",
  });
}
