import { z } from 'zod';
import { API } from '../api/routes.js';
import type { Route } from '../api/route.js';

// zod writes JSON Schema itself; @hono/zod-openapi would add a second registry, three packages, and
// Hono in web/api.

type Json = Record<string, unknown>;

/** OpenAPI 3.1, whose schemas are JSON Schema 2020-12. */
export function openApi(routes: Readonly<Record<string, Route>>, version: string): Json {
  const schemas: Json = {};
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const {
      $defs = {},
      $schema: _schema,
      ...document
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
    }) as Json & { $defs?: Json };
    for (const [name, one] of Object.entries($defs)) schemas[name] ??= relinked(one);
    return relinked(document) as Json;
  };
  const answers = ({ answer }: Route): Json => {
    if (answer === 'text') return { 'text/plain': { schema: { type: 'string' } } };
    if (answer === 'bytes') return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
    if (answer === 'events') return { 'text/event-stream': { schema: { type: 'string' } } };
    return { 'application/json': { schema: schemaOf(answer, 'output') } };
  };
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(routes)) {
    const path = `${API}${route.path.replace(/:(\w+)/g, '{$1}')}`;
    const query =
      route.query === undefined ? {} : (schemaOf(route.query, 'input') as { properties?: Json; required?: string[] });
    const parameters = [
      ...[...route.path.matchAll(/:(\w+)/g)].map(([, part]) => ({
        ...{ name: part, in: 'path', required: true, schema: { type: 'string' } },
      })),
      ...Object.entries((query as { properties?: Json }).properties ?? {}).map(([key, schema]) => ({
        ...{
          name: key,
          in: 'query',
          required: (query as { required?: string[] }).required?.includes(key) ?? false,
          schema,
        },
      })),
    ];
    (paths[path] ??= {})[route.method.toLowerCase()] = {
      operationId: name.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary: route.summary,
      ...(route.role === null ? { security: [] } : { description: `Role: ${route.role}.` }),
      ...(parameters.length > 0 && { parameters }),
      ...(route.body !== undefined && {
        requestBody: { required: true, content: { 'application/json': { schema: schemaOf(route.body, 'input') } } },
      }),
      responses: {
        200: { description: route.summary, content: answers(route) },
        default: {
          description: 'what went wrong',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'bench', version },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { ...schemas, Error: errorSchema },
    },
  };
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['type', 'code', 'message', 'remedy'],
      properties: {
        type: { type: 'string' },
        code: { type: 'string' },
        message: { type: 'string' },
        remedy: { type: ['string', 'null'] },
      },
    },
  },
};

function relinked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relinked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'id')
      .map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string'
          ? inner.replace('#/$defs/', '#/components/schemas/')
          : relinked(inner),
      ]),
  );
}
