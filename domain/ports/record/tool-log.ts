import type { ToolDefinition } from '../../model/model.js';

/** Tools of the MCP servers of runs, as listed when the run started. */
export interface ToolLog {
  /** First write wins. */
  saveListedTools(runId: string, tools: readonly ToolDefinition[]): Promise<void>;
  /** Null: none were listed. */
  listedTools(runId: string): Promise<ToolDefinition[] | null>;
}
