import { z } from 'zod';
import type { ToolDefinition } from '../model/model.js';

/**
 * Servers of the Model Context Protocol, in an agent's sandbox or over HTTP from there. A call is a
 * command of the durable shell (images/agent/tools/agent_tools/mcp.py), so that it is recorded,
 * runs once and is rerun as any other.
 */

const variable = z.string().regex(/^[A-Z_][A-Z0-9_]{0,63}$/, 'capital letters, digits and _ only, 64 at most');

/** The sandbox sees the address: it may hold nothing secret. */
function refuseAddress(url: string, context: z.RefinementCtx): void {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const message =
    parsed === null || !['http:', 'https:'].includes(parsed.protocol)
      ? 'must be a URL that begins with http:// or https://'
      : parsed.username !== '' || parsed.password !== ''
        ? 'must not contain credentials: the agent would read them'
        : null;
  if (message !== null) context.addIssue({ code: 'custom', message, params: { secret: true } });
}

/** Of an agent file, by name. */
export const mcpServersSchema = z.record(
  z.string().regex(/^[a-z][a-z0-9-]{0,19}$/, 'small letters, digits and - only, 20 at most'),
  z
    .strictObject({
      /** Words, started in the workspace: a server over stdio. */
      command: z.array(z.string().min(1)).min(1).exactOptional(),
      /** Besides the sandbox's. */
      environment: z.record(variable, z.coerce.string()).exactOptional(),
      /** Of a server over streamable HTTP, which the task's network must allow. */
      url: z.string().superRefine(refuseAddress).exactOptional(),
    })
    .refine(
      ({ command, url }) => (command === undefined) !== (url === undefined),
      'name the command of a server over stdio, or the url of one over HTTP',
    )
    .refine(
      ({ url, environment }) => url === undefined || environment === undefined,
      'environment is for a server with a command',
    ),
);

/** Host and port of each server over HTTP. */
export const mcpHosts = (
  servers: z.infer<typeof mcpServersSchema> = {},
): { server: string; host: string; port: number }[] =>
  Object.entries(servers).flatMap(([server, { url }]) => {
    if (url === undefined) return [];
    const { hostname, port, protocol } = new URL(url);
    return [{ server, host: hostname, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }];
  });

/** What `mcp_tools` prints. */
const listedSchema = z.array(
  z.object({
    server: z.string(),
    name: z.string().min(1),
    description: z.string().catch('').default(''),
    inputSchema: z.record(z.string(), z.unknown()).catch({ type: 'object' }).default({ type: 'object' }),
  }),
);

/** As every provider takes them. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Tools by the names that models call; or what is wrong with them. */
export function listedTools(printed: string): ToolDefinition[] | { problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(printed);
  } catch {
    return { problem: printed.trim().slice(0, 2000) };
  }
  const listed = listedSchema.safeParse(json);
  if (!listed.success) return { problem: 'its list of tools does not have the form of the protocol' };
  const tools = listed.data.map(({ server, name, description, inputSchema }) => ({
    ...{ name: `${server}__${name}`, description, parameters: inputSchema },
  }));
  const bad = tools.find(({ name }, at) => !TOOL_NAME.test(name) || tools.findIndex((one) => one.name === name) < at);
  if (bad === undefined) return tools;
  return {
    problem: `no model takes the name ${bad.name.slice(0, 100)}: letters, digits, _ and -, 64 at most, each once`,
  };
}

/** The command of a call; null: the name is of none of these servers. */
export function mcpAction(name: string, given: Record<string, unknown>, servers: readonly string[]): string | null {
  const [, server = '', tool = ''] = /^([a-z][a-z0-9-]*)__([A-Za-z0-9_-]+)$/.exec(name) ?? [];
  if (!servers.includes(server)) return null;
  // One line of JSON, which cannot be the last of the text.
  return `mcp_call ${server} ${tool} <<'end_of_arguments'\n${JSON.stringify(given)}\nend_of_arguments`;
}
