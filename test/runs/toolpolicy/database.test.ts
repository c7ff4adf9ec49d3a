/** Statements: reads are free on approved tables, writes wait for a person unless they were permitted word for word. */
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/model/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { approve, type Called, call, expectAsked, expectDenied, expectSent, type Tool } from './bench.ts';

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
  call(
    { category: 'database', rules: RULES, execute: () => ({ tx: 'tx_1', rows: 1 }), ...tool },
    { sql: statement, read_only: true, tenant: 'tenant_a', ...changes },
  );

for (const statement of [
  'SELECT id, total FROM orders WHERE id = 7',
  "select o.id from shop.orders as o join orders p on p.id = o.id where o.note = 'a; drop -- it''s fine'",
  'SELECT count(*) FROM (SELECT id FROM orders) AS some;',
]) {
  verifies(ID, `a read is sent: ${statement}`, async () => expectSent(await sql(statement)));
}

verifies(ID, 'a write waits for a person, who sees the statement, and is sent once after that', async () => {
  const called = await sql("UPDATE orders SET status = 'void' WHERE id = 7");
  const packet = await expectAsked(called, 'GATE_DATABASE_WRITE');
  expect(packet['preview']).toMatchObject({ verb: 'update', tables: ['orders'] });
  expect(await approve(called)).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(called.bench.dispatches).toHaveLength(1);
});

verifies(
  ID,
  'a write that was permitted word for word is sent with other values, and with no other words',
  async () => {
    const called = await sql("update orders set seen = 'yes' where id = 12");
    expectSent(called);
    const events = await called.bench.events(called.outcome.runId);
    expect(events.find(({ type }) => type === 'step_observed')).toMatchObject({ raw: { tx: 'tx_1', rows: 1 } });
    await expectAsked(await sql("update orders set seen = 'yes' where id = 12 or id > 0"), 'GATE_DATABASE_WRITE');
  },
);

verifies(ID, 'a write without its transaction, or that touched more rows than foreseen, is not verified', async () => {
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
  verifies(ID, `refused: ${statement.slice(0, 80)}`, async () => expectDenied(await sql(statement)));
}

verifies(ID, 'a statement that begins like a read and writes is no read', async () => {
  await expectAsked(await sql('SELECT id INTO orders FROM orders'), 'GATE_DATABASE_WRITE');
});

verifies(ID, 'a read needs a read-only connection, and row security the tenant of the run', async () => {
  expectDenied(await sql('SELECT id FROM orders', {}, { read_only: false }));
  expectDenied(await sql('SELECT id FROM orders', {}, { tenant: 'tenant_b' }));
});
