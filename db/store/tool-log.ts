import type { ToolDefinition } from '../../domain/model/model.js';
import type { ToolLog } from '../../domain/ports/record/tool-log.js';
import type { Statements } from '../statements.js';

export const toolStore = (run: Statements): ToolLog => ({
  async saveListedTools(runId, tools) {
    await run('saveListedTools', 'update runs set mcp_tools = coalesce(mcp_tools, $2::jsonb) where run_id = $1', [
      ...[runId, JSON.stringify(tools)],
    ]);
  },
  async listedTools(runId) {
    const [row] = await run<{ tools: ToolDefinition[] | null }>(
      'listedTools',
      'select mcp_tools as tools from runs where run_id = $1',
      [runId],
    );
    return row?.tools ?? null;
  },
});
