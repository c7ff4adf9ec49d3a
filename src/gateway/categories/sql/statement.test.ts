/** The SQL reader finds the tables and functions of a statement and refuses ambiguous ones, in linear time. */
import { describe, expect, test } from 'vitest';
import { readStatement, sameStatement } from './statement.ts';

const tablesOf = (sql: string): readonly string[] | string => {
  const read = readStatement(sql);
  return read.ok ? read.statement.tables : `refused: ${read.why}`;
};

test.each<[string, readonly string[]]>([
  ['select 1', []],
  ['select id from orders', ['orders']],
  ['select o.id, p.* from shop.orders o, "Items" as p where o.id = p.id', ['shop.orders', 'Items']],
  ['select a from orders a join items b on a.id = b.id, secrets', ['orders', 'items', 'secrets']],
  ['select a from orders natural left outer join items cross join t3', ['orders', 'items', 't3']],
  ['select a from orders left join items using (id, day), secrets', ['orders', 'items', 'secrets']],
  ['select a from (orders join items on 1 = 1), secrets s', ['orders', 'items', 'secrets']],
  ['select (select k from secrets) from orders', ['secrets', 'orders']],
  ['select a from orders where id in (select id from items) or exists (select 1 from t3)', ['orders', 'items', 't3']],
  ['select a from (select b from items) as some order by (select k from secrets) limit 1', ['items', 'secrets']],
  ['select a from orders union all (select k from secrets) order by 1', ['orders', 'secrets']],
  ['select left(name, 1), extract(year from placed_at), trim(both from name) from orders', ['orders']],
  ['select sum(x) over (partition by a order by b) from orders group by a having count(*) > 1', ['orders']],
  ['select a::int, $1::text, :name from orders fetch first 5 rows only', ['orders']],
  ['select a + -1 * (2 - b) total, date \'2030-01-01\' as "day", o.year y, * from orders o', ['orders']],
  ['select case when a is not null then 1 else 2 end n from orders order by n desc nulls last, 2 asc', ['orders']],
  [
    "select a from orders where a not like 'x' escape '!' and b between 1 and 2 or not c and d = interval 1 day",
    ['orders'],
  ],
  ['select a from orders where at > time and (a, b) in ((1, 2)) offset 0 rows fetch next 5 rows only', ['orders']],
  [
    'select cast(a as double precision), count(distinct b), sum(c) over (rows between 1 preceding and current row) from orders',
    ['orders'],
  ],
  ['update orders set a = a + 1, b = null where id = ? returning id, b as c', ['orders']],
  ["insert into orders (id, note) values (1, 'a'), (?, ?) returning id", ['orders']],
  ['insert into orders select id from items', ['orders', 'items']],
  ['update orders o set a = (select k from secrets) from items where o.id = items.id', ['orders', 'secrets', 'items']],
  ['delete from orders using items, secrets where orders.id = items.id', ['orders', 'items', 'secrets']],
])('finds the tables of %j', (sql, tables) => {
  expect(tablesOf(sql)).toEqual(tables);
});

test.each([
  'select k from orders not indexed, secrets',
  'select k from orders indexed by ix, secrets',
  "select k from 'secrets'",
  "select k from orders, 'secrets'",
  'select * from orders *, secrets',
  'select k from orders use key (primary), secrets',
  'select k from orders tablesample system (100), secrets',
  'select k from orders (nolock), secrets',
  'select k from orders a (b), secrets',
  'select 1from secrets',
  'select k, 1.0from secrets',
  'select 1e0from secrets',
  'select 1 from orders where id = 1.0OR.1',
  'select 1 from orders where id = .1',
  'select 0x1F from orders',
  'select k from orders..secrets',
  'select k from .secrets',
  'select k from "shop.orders"',
  'select k from `a b`',
  'select k from Orders',
  'select k from only orders',
  'select k from orders, lateral secrets',
  'select 1 from orders where k in secrets',
  'select 1 from orders where k not in main.secrets',
  'select 1 from orders where k = any (table secrets)',
  'select (values (1)) from orders',
  'select (with x as (select 1) select 1) from orders',
  'select (from secrets) from orders',
  'select a from orders where a = 1 from secrets',
  'select a from orders limit 1 where a = 1',
  'select a from orders union table secrets',
  'select a from orders left secrets',
  'select a from orders outer join secrets',
  'select a from orders for update',
  'select a from orders procedure analyse(1)',
  'select a from orders window w as (order by a)',
  "select a from orders into outfile '/tmp/x'",
  'select count(*) filter (where a = 1) from orders)',
  'select a from (orders',
  'delete orders from orders, secrets',
  'update orders, secrets set a = 1',
  'update only orders set a = 1',
  'insert or replace into orders values (1)',
  'select a from orders shutdown',
  'select a from orders as shutdown',
  'select a shutdown',
  'select * shutdown',
  'select a from orders where id = 1 shutdown',
  'select a from orders where id = time shutdown',
  'select a from orders where id = 1 kill 52',
  'select a from orders order by a desc use master',
  "select a from orders where id = 1 waitfor delay '0:0:9'",
  "select a from orders where id = 1 backup database x to disk = 'y'",
  'select a use master',
  "select 'a' 'b' from orders",
  'select count(*) (select 1) from orders',
  'explain select 1',
  'select 1; select 2',
  '',
])('refuses %j', (sql) => {
  expect(readStatement(sql).ok).toBe(false);
});

test('lists functions with the schema that qualifies them', () => {
  const read = readStatement('select count(*), evil.count(id), "Sum"(id) from orders');
  expect(read.ok && read.statement.functions).toEqual(['count', 'evil.count', 'Sum']);
});

describe('a preauthorised statement', () => {
  const same = (written: string, sent: string): boolean => {
    const [a, b] = [readStatement(written), readStatement(sent)];
    return a.ok && b.ok && sameStatement(a.statement.tokens, b.statement.tokens);
  };
  const WRITTEN = 'UPDATE orders SET seen = ?, state = 1 WHERE id = $1';

  test.each([
    "update orders set seen = 'yes', state = 1 where id = 7",
    'update orders set seen = ?, state = 1 where id = $2;',
  ])('matches %j', (sent) => {
    expect(same(WRITTEN, sent)).toBe(true);
  });

  test.each([
    "update orders set seen = 'yes', state = 2 where id = 7",
    "update orders set seen = 'yes', state = '1' where id = 7",
    'update orders set seen = seen, state = 1 where id = 7',
    'update orders set seen = "yes", state = 1 where id = 7',
    'update orders set seen = 1, state = 1 where id = 1.0OR.1',
    'update orders set seen = 1, state = 1 where id = 1 or 1',
    'update orders set seen = 1, state = 1 where id = -1',
    'update orders set seen = 1, state = 1 where id = id',
  ])('does not match %j', (sent) => {
    expect(same(WRITTEN, sent)).toBe(false);
  });
});

test.each<[string, string]>([
  ['from a,', 'from a,'.repeat(20_000)],
  ['from (a ', 'from (a '.repeat(20_000)],
  ['brackets', '('.repeat(20_000)],
  ['brackets that fit', '('.repeat(19_000)],
  ['queries in queries', '(select 1 from '.repeat(1_200)],
  ['tables that fit', `from ${'a, '.repeat(6_000)}a`],
  ['parameters that fit', ', $1'.repeat(4_000)],
  ['joins that fit', `from a ${'join b on (1 = 1) '.repeat(1_000)}`],
])('reads in time proportional to the length: %s', (_, text) => {
  const started = performance.now();
  const read = readStatement(`select 1 ${text}`);
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(read.ok || read.why).toSatisfy(
    (answer: true | string) => answer === true || /longer|brackets|place/.test(answer),
  );
});
