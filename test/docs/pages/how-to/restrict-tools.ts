import { deepEqual, equal } from 'node:assert/strict';
import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, boundary, step, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const { orders } = await load(1);
  const ends = async (sql: string): Promise<readonly unknown[]> => {
    const params = { sql, read_only: false, tenant: 'tenant_acme' };
    const agent = written(
      { tools: [orders], boundary: boundary(['orders.sql']), settings: { roles: { subscriber: 'local_write' } } },
      [step('orders.sql', params)],
    );
    const { status, terminalCode, why } = await ambit({ agent }).invoke({
      message: 'Mark my order as seen',
      user: ADA,
    });
    return [status, terminalCode, why];
  };
  equal((await ends('UPDATE orders SET seen = 1 WHERE id = 7'))[1], 'SUCCESS');
  deepEqual(await ends('DROP TABLE orders'), [
    'failed',
    'PERMISSION_DENIED',
    ['the statement is refused: it begins with none of select, insert, update, delete'],
  ]);
};
