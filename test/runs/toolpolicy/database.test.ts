/** SQL statements: reads on approved tables are free; writes need approval unless preauthorized verbatim. */
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { approve, type Called, expectDenied, expectGate, expectSent, invokeCall, type Tool } from './bench.ts';

const ID = 'toolpolicy:database:writes-approved-unless-preauthorized';

const RULES: JsonObject = {
  statement: '/sql',
  allow: ['select', 'update', 'delete'],
  tables: ['orders', 'shop.*'],
  preauthorised: ['UPDATE orders SET seen = ? WHERE id = ?'],
  read_only: '/read_only',
  tenant: '/tenant',
  log: { transaction: '/tx', rows: '/rows', rows_max: 1 },
};

const sql = (statement: string, tool: Tool = {}, changes: JsonObject = {}): Promise<Called> =>
  invokeCall(
    { category: 'database', rules: RULES, execute: () => ({ tx: 'tx_1', rows: 1 }), ...tool },
    { sql: statement, read_only: true, tenant: 'tenant_a', ...changes },
  );

for (const statement of [
  'SELECT id, total FROM orders WHERE id = 7',
  "select o.id from shop.orders as o join orders p on p.id = o.id where o.note = 'a; drop -- it''s fine'",
  'SELECT count(*) FROM (SELECT id FROM orders) AS some;',
]) {
  verifies(ID, `sends a read: ${statement}`, async () => expectSent(await sql(statement)));
}

verifies(ID, 'a write needs approval, with a preview of the statement, and is sent once', async () => {
  const called = await sql("UPDATE orders SET status = 'void' WHERE id = 7");
  const packet = await expectGate(called, 'GATE_DATABASE_WRITE');
  expect(packet['preview']).toMatchObject({ verb: 'update', tables: ['orders'] });
  expect(await approve(called)).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(called.bench.dispatches).toHaveLength(1);
});

verifies(ID, 'sends a preauthorized write with other values, but not with other words', async () => {
  const called = await sql("update orders set seen = 'yes' where id = 12");
  expectSent(called);
  const events = await called.bench.events(called.outcome.runId);
  expect(events.find(({ type }) => type === 'step_observed')).toMatchObject({ raw: { tx: 'tx_1', rows: 1 } });
  await expectGate(await sql("update orders set seen = 'yes' where id = 12 or id > 0"), 'GATE_DATABASE_WRITE');
});

verifies(ID, 'does not verify a write without its transaction or with more rows than allowed', async () => {
  for (const answer of [{ rows: 1 }, { tx: 'tx_1', rows: 2 }, { tx: 'tx_1' }]) {
    const { bench, outcome } = await sql("update orders set seen = 'y' where id = 1", { execute: () => answer });
    expect(outcome.terminalCode).toBe('VALIDATION_FAIL');
    const verified = (await bench.events(outcome.runId)).find(({ type }) => type === 'step_verified');
    expect(verified).toMatchObject({ ok: false, validator: 'database@1' });
  }
});

for (const statement of [
  'SELECT 1 FROM orders; DROP TABLE orders',
  'SELECT 1 FROM orders; UPDATE orders SET a = 1',
  'SELECT id FROM orders -- where tenant = 1',
  'SELECT id /*! , secret */ FROM orders',
  'SELECT id FROM orders # where',
  "SELECT id FROM orders WHERE a = 'x\\'; DROP TABLE orders'",
  'SELECT $$a$$ FROM orders',
  "SELECT E'a' FROM orders",
  'SELECT id FROM salaries',
  'SELECT id FROM orders, salaries',
  'SELECT id FROM (SELECT 1 FROM orders) x, salaries',
  'SELECT id FROM (orders JOIN salaries ON 1 = 1)',
  'SELECT id FROM orders UNION TABLE salaries',
  'SELECT a.id FROM orders a JOIN orders b ON a.id = b.id, salaries',
  'SELECT id FROM orders NOT INDEXED, salaries',
  "SELECT id FROM 'salaries'",
  'SELECT id FROM orders WHERE id IN salaries',
  'SELECT 1.0FROM salaries',
  'UPDATE orders SET seen = 1 WHERE id = 1.0OR.1',
  `SELECT 1 FROM ${'('.repeat(2_000)}`,
  'SELECT id FROM orders WHERE id IN (SELECT id FROM "salaries")',
  "SELECT pg_read_file('/etc/passwd') FROM orders",
  'DROP TABLE orders',
  'WITH x AS (DELETE FROM orders RETURNING id) SELECT id FROM x',
  'SELECT id ＦＲＯＭ orders',
  "SELECT 'never closed FROM orders",
  ';',
]) {
  verifies(ID, `rejects ${statement.slice(0, 80)}`, async () => expectDenied(await sql(statement)));
}

verifies(ID, 'a statement that starts as a read but writes is a write', async () => {
  await expectGate(await sql('SELECT id INTO orders FROM orders'), 'GATE_DATABASE_WRITE');
});

verifies(ID, 'a read needs a read-only connection, and row security needs the tenant of the run', async () => {
  expectDenied(await sql('SELECT id FROM orders', {}, { read_only: false }));
  expectDenied(await sql('SELECT id FROM orders', {}, { tenant: 'tenant_b' }));
});
