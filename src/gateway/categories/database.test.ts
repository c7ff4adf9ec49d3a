/**
 * Compares the SQL check with a real database, which reports the tables that a statement touches: every statement that
 * touches a forbidden table is refused, wherever in the grammar the table appears and however it is written.
 */
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DatabaseRules } from '../../model/tool/rules/database.ts';
import type { ProposedCall } from '../layers/layer.ts';
import { databaseCheck } from './database.ts';

const RULES: DatabaseRules = {
  statement: '/sql',
  allow: ['select', 'insert', 'update', 'delete'],
  tables: ['orders'],
  preauthorised: ['update orders set x = ? where id = ?'],
};

const verdict = (sql: string): string =>
  databaseCheck(RULES, { args: { sql }, run: { tenantId: 'tenant_a' } } as unknown as ProposedCall).kind;

function database(): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  db.exec('create table orders (id integer primary key, x text); create index ix on orders (x)');
  db.exec('create table secrets (id integer, k text)');
  db.exec("insert into orders values (1, 'a'), (2, 'b'), (3, 'c')");
  return db;
}

const db = database();
const touched = new Set<string | null>();
db.setAuthorizer((_action, table) => {
  touched.add(table);
  return 0;
});

/** Whether SQLite accepts the statement, and whether the statement touches the forbidden table. */
function reaches(sql: string): 'secrets' | 'others' | 'nothing' {
  touched.clear();
  try {
    db.prepare(sql);
  } catch {
    return 'nothing';
  }
  return touched.has('secrets') ? 'secrets' : 'others';
}

const words = (...list: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...list);
const text = (...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((all) => all.join(' '));

const SECRETS = [
  'secrets',
  '"secrets"',
  '`secrets`',
  '[secrets]',
  "'secrets'",
  'main.secrets',
  'main . "secrets"',
  'Secrets',
];

const { query, statement } = fc.letrec<Record<'value' | 'place' | 'tables' | 'rest' | 'query' | 'statement', string>>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      words(
        '1',
        '1.5',
        '.5',
        '?',
        "'k'",
        'id',
        'x',
        'k',
        'null',
        'count(*)',
        '"k"',
        '1.0or.1',
        'orders.id',
        'secrets.k',
        '*',
      ),
      text('(', tie('query'), ')'),
      text('exists (', tie('query'), ')'),
      text('1 in', words(...SECRETS, 'orders')),
      text('1 in (', tie('query'), ')'),
      text('coalesce (', tie('value'), ',', tie('value'), ')'),
      text('case when', tie('value'), 'then', tie('value'), 'else 1 end'),
      text(tie('value'), words('=', 'or', 'and', '||', 'is not distinct from', 'like', ','), tie('value')),
      text('sum(1) over ( partition by', tie('value'), 'order by', tie('value'), ')'),
    ),
    place: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      text(words('orders', '"orders"', ...SECRETS), words('', '', 'a', 'as b', 'not indexed', 'as "c"', "'d'")),
      text('orders indexed by ix'),
      text('(', tie('query'), ')', words('', 'd', 'as e')),
      text('(', tie('tables'), ')'),
    ),
    tables: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      tie('place'),
      text(tie('tables'), words(',', 'join', 'left join', 'cross join', 'natural join'), tie('place')),
      text(tie('tables'), words('join', 'left outer join'), tie('place'), 'on', tie('value')),
      text(tie('tables'), words('join', 'inner join'), tie('place'), 'using ( id )'),
    ),
    rest: fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      text(words('where', 'group by', 'order by', 'limit', 'group by 1 having', 'where 1 order by'), tie('value')),
      text(words('union', 'union all', 'except'), tie('query')),
      text(words('union', 'intersect'), 'values ( 1 )'),
    ),
    query: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      text('select 1 from orders'),
      text('select', words('', 'distinct'), tie('value'), 'from', tie('tables'), tie('rest')),
      text('with w as (', tie('query'), ') select 1 from w ,', tie('tables')),
    ),
    statement: fc.oneof(
      { weight: 6, arbitrary: tie('query') },
      text('update', tie('place'), 'set x =', tie('value'), tie('rest')),
      text('update orders set x = 1 from', tie('tables'), 'where', tie('value')),
      text('delete from', tie('place'), tie('rest')),
      text('insert into', words('orders', ...SECRETS), '( id ) ', tie('query')),
      text('insert into orders ( id ) values (', tie('value'), ')', words('', 'returning *')),
    ),
  }),
);

/** Drops blanks that are optional, and inserts comments and line breaks. */
const written = fc
  .tuple(statement, fc.array(words('', ' ', ' ', '\n', '/**/', '\t'), { minLength: 1, maxLength: 9 }))
  .map(([sql, blanks]) => {
    let at = 0;
    return sql.replaceAll(/ +/g, (_, place: number) => {
      at += 1;
      const blank = blanks[at % blanks.length] ?? ' ';
      const between = `${sql[place - 1] ?? ''}${sql.slice(place).trimStart()[0] ?? ''}`;
      return blank === '' && /^\w\w$/.test(between) && at % 3 > 0 ? ' ' : blank;
    });
  });

test('refuses every statement that touches a forbidden table according to the database', () => {
  const seen = { secrets: 0, others: 0, nothing: 0, free: 0 };
  const property = fc.property(fc.oneof(statement, written), (sql) => {
    const reached = reaches(sql);
    const kind = verdict(sql);
    seen[reached] += 1;
    if (reached === 'others' && kind !== 'refused') seen.free += 1;
    if (reached === 'secrets') expect([sql, kind]).toEqual([sql, 'refused']);
  });
  fc.assert(property, { numRuns: 6_000 });
  expect(seen.secrets).toBeGreaterThan(150);
  expect(seen.free).toBeGreaterThan(30);
});

test('refuses random pieces of SQL that touch a forbidden table', () => {
  const piece = words(
    ...SECRETS,
    ...'select from join on , ( ) . * 1 1.0 a k id or where in not indexed by ix using union orders limit order as = natural left'.split(
      ' ',
    ),
    'orders',
    ',',
    "''",
  );
  const sentence = fc
    .tuple(fc.array(piece, { maxLength: 7 }), words(' ', '', '\n'))
    .map(([pieces, blank]) => `select k from orders ${pieces.join(blank)}`);
  fc.assert(
    fc.property(fc.oneof(sentence, text(sentence, ', secrets'), text(query, sentence)), (sql) => {
      if (reaches(sql) === 'secrets') expect([sql, verdict(sql)]).toEqual([sql, 'refused']);
    }),
    { numRuns: 4_000 },
  );
});

test('lets a preauthorised write touch only the one row that its value names', () => {
  const piece = words(
    ..."1 2 .1 1.0 1e1 0x1 or OR - + ' ' 'a' '' id x ? is null ( ) = < | || in and not".split(' '),
    ' ',
  );
  const value = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
  let free = 0;
  fc.assert(
    fc.property(value, value, (x, id) => {
      const sql = `update orders set x = ${x} where id = ${id}`;
      if (verdict(sql) !== 'free') return;
      free += 1;
      const own = database();
      const { changes } = own.prepare(sql.replaceAll('?', '1')).run();
      own.close();
      expect([sql, Number(changes) <= 1]).toEqual([sql, true]);
    }),
    {
      numRuns: 4_000,
      examples: [
        ['1', '1.0OR.1'],
        ['1', '2'],
        ["'a'", '1'],
      ],
    },
  );
  expect(free).toBeGreaterThan(2);
});

test.each([
  ['select evil.count(id) from orders', 'refused'],
  ['select count(id) from orders', 'free'],
  ['select 1 from shop.orders', 'refused'],
  ["update orders set x = 'seen' where id = 2", 'free'],
  ['update orders set x = 1 where id = 1.0OR.1', 'refused'],
  ['update orders set x = 1 where id = 1 or 1', 'gated'],
])('%j is %s', (sql, kind) => {
  expect(verdict(sql)).toBe(kind);
});

test('shop.* does not cover a table with a three-part name', () => {
  const rules: DatabaseRules = { ...RULES, tables: ['shop.*'] };
  const kind = (sql: string): string =>
    databaseCheck(rules, { args: { sql }, run: {} } as unknown as ProposedCall).kind;
  expect(kind('select 1 from shop.orders')).toBe('free');
  expect(kind('select 1 from shop.other.secrets')).toBe('refused');
  expect(kind('select 1 from "shop.secrets"')).toBe('refused');
});
