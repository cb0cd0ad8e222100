import { Connection } from '@temporalio/client';
import { BenchError } from '../domain/errors.js';
import type { TemporalAccess } from '../domain/temporal-access.js';
import { SEARCH_ATTRIBUTES } from '../domain/search-attributes.js';

const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

/**
 * Register what our workflows set, where that has not been done. To be imported where it is needed: it loads the client, and
 * most commands meet an embedded server, which has them from its start.
 */
export async function registerSearchAttributes(
  address: string,
  namespace: string,
  access: TemporalAccess,
): Promise<void> {
  const connection = await Connection.connect({ address, ...access, connectTimeout: '30 seconds' });
  try {
    const customAttributes = await connection.operatorService.listSearchAttributes({ namespace }).then(
      (answer) => answer.customAttributes,
      (error: unknown) => {
        // Temporal Cloud and careful administrators let no client look: a missing one then shows at the first start.
        if ([PERMISSION_DENIED, UNIMPLEMENTED].includes((error as { code?: number }).code ?? 0)) return null;
        throw error;
      },
    );
    if (customAttributes === null) return;
    const missing = SEARCH_ATTRIBUTES.filter((name) => customAttributes[name] === undefined);
    if (missing.length === 0) return;
    const keyword = 2; // temporal.api.enums.v1.INDEXED_VALUE_TYPE_KEYWORD
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, keyword])),
    });
  } catch (error) {
    const list = SEARCH_ATTRIBUTES.map((name) => ['--name', name, '--type', 'Keyword'].join(' ')).join(' ');
    throw new BenchError('services', `cannot register search attributes at Temporal ${address}`, {
      code: 'temporal.unreachable',
      remedy: `have them created once: temporal operator search-attribute create ${list} --namespace ${namespace}`,
      cause: error,
    });
  } finally {
    await connection.close();
  }
}
