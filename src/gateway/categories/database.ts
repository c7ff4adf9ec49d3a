import { jsonAt } from '../../model/json/json-at.ts';
import type { DatabaseRules } from '../../model/tool/rules/database.ts';
import { textAt } from '../../model/tool/rules/operation.ts';
import { type CategoryCheck, type CategoryFinding, denied, FREE, firstFinding, gated, incomplete } from './finding.ts';
import { readStatement, type SqlStatement, sameStatement } from './sql/statement.ts';

/** SQL functions without side effects on any server. */
const PLAIN: ReadonlySet<string> = new Set(
  'count sum avg min max coalesce nullif lower upper length trim round abs cast concat substring date extract'.split(
    ' ',
  ),
);

/** Checks for one permitted statement over permitted tables. A write needs approval unless it is preauthorised. */
export const databaseCheck: CategoryCheck<DatabaseRules> = (rules, { args, run }) => {
  const sql = textAt(args, rules.statement);
  if (sql === null) return incomplete(`the call holds no statement at ${rules.statement}`);
  const read = readStatement(sql);
  if (!read.ok) return denied(`the statement is refused: ${read.why}`);
  const { statement } = read;
  const against = firstFinding(
    () => forbidden(rules, statement),
    () =>
      rules.tenant !== undefined && jsonAt(args, rules.tenant) !== run.tenantId
        ? denied(`${rules.tenant} must be the tenant of the run, because row security goes by it`)
        : null,
  );
  if (against !== null) return against;
  if (!statement.writes) {
    const opened = rules.read_only === undefined || jsonAt(args, rules.read_only) === true;
    return opened ? FREE : denied(`a read needs a read-only connection: ${rules.read_only} must be true`);
  }
  if (isPreauthorised(rules, statement)) return FREE;
  const { verb, tables } = statement;
  return gated('it writes', { statement: sql, verb, tables });
};

function forbidden({ allow, tables, functions = [] }: DatabaseRules, statement: SqlStatement): CategoryFinding | null {
  const { verb } = statement;
  if (!allow.some((allowed) => allowed === verb)) {
    return denied(`${verb} statements are not permitted; there is ${allow.join(', ')}`);
  }
  const table = statement.tables.find((name) => !tables.some((allowed) => covers(allowed, name)));
  if (table !== undefined) return denied(`the table ${table} is not permitted; there is ${tables.join(', ')}`);
  const called = statement.functions.find((name) => !PLAIN.has(name) && !functions.includes(name));
  return called === undefined ? null : denied(`the function ${called} is not permitted`);
}

/** Whether an entry of `tables` covers a table. `shop.*` covers `shop.orders` but not `shop.other.orders`. */
function covers(allowed: string, name: string): boolean {
  if (!allowed.endsWith('.*')) return allowed === name;
  const schema = allowed.slice(0, -1);
  return name.startsWith(schema) && !name.slice(schema.length).includes('.');
}

/** Whether the statement equals a preauthorised one. Only the values of its parameters may differ. */
function isPreauthorised({ preauthorised = [] }: DatabaseRules, { tokens }: SqlStatement): boolean {
  return preauthorised.some((text) => {
    const read = readStatement(text);
    return read.ok && sameStatement(read.statement.tokens, tokens);
  });
}
