import type { ToolDefinition } from '../model/model.js';
import { isJson, type Json, listOf, textOf } from './json.js';

/** Gemini's tools hold lists of functions. */
const inside = (tool: Json): Json[] =>
  Array.isArray(tool['functionDeclarations']) ? listOf(tool['functionDeclarations']) : [tool];

/** Of any wire; null: none. */
export function offeredTools(body: Json): ToolDefinition[] | null {
  const tools = listOf(body['tools'])
    .flatMap(inside)
    .map((tool): ToolDefinition => {
      const inner = isJson(tool['function']) ? tool['function'] : tool;
      const parameters = [inner['parameters'], inner['parametersJsonSchema'], inner['input_schema']].find(isJson) ?? {};
      const name = textOf(inner['name']) || textOf(tool['type']);
      return { name, description: textOf(inner['description']), parameters };
    });
  return tools.length === 0 ? null : tools;
}
