import { Connection } from '@temporalio/client';
import { BenchError } from '../domain/errors.js';
import type { TemporalAccess } from '../domain/home/temporal-access.js';
import { SEARCH_ATTRIBUTES } from '../domain/home/search-attributes.js';
import { channelOptions } from '../transport/proxies.js';

const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

/** The embedded server has them. Import on first use: it loads the client. */
export async function registerSearchAttributes(
  address: string,
  namespace: string,
  access: TemporalAccess,
): Promise<void> {
  const connection = await Connection.connect({
    address,
    ...access,
    ...channelOptions(address),
    connectTimeout: '30 seconds',
  });
  try {
    const customAttributes = await connection.operatorService.listSearchAttributes({ namespace }).then(
      (answer) => answer.customAttributes,
      (error: unknown) => {
        // Temporal Cloud and strict administrators forbid the lookup; the first start shows what is
        // missing.
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
      remedy: `have an administrator create them: temporal operator search-attribute create ${list} --namespace ${namespace}`,
      cause: error,
    });
  } finally {
    await connection.close();
  }
}
