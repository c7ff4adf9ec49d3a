import type { DatabaseSync } from 'node:sqlite';
import type { StoreProblem } from '../../../ports/store/store-tools.ts';
import { builtin } from '../open-database.ts';
import { DRIVERS_TABLE, TABLES } from '../schema.ts';

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string | null;
}

/** Compares the tables, indexes, triggers and views of a file with those of this format. */
export function* schemaProblems(db: DatabaseSync): Generator<StoreProblem> {
  expectedSchema ??= schemaOfFormat();
  const expected = expectedSchema;
  const found = schemaOf(db);
  for (const [name, definition] of found) {
    const place = `/schema/${name}`;
    const model = expected.get(name);
    if (model === undefined) yield { place, message: `the file has a ${name} that does not belong to a store` };
    else if (model !== definition) yield { place, message: `${name} is not defined as this format defines it` };
  }
  // The table of drivers is created by the first process that drives a run.
  for (const name of expected.keys())
    if (!found.has(name) && !name.includes('drivers'))
      yield { place: `/schema/${name}`, message: `${name} is missing` };
}

/** The definitions of this format, read once per process. */
let expectedSchema: Schema | null = null;

function schemaOfFormat(): Schema {
  const model = new (builtin().DatabaseSync)(':memory:');
  model.exec(TABLES);
  model.exec(DRIVERS_TABLE);
  const schema = schemaOf(model);
  model.close();
  return schema;
}

type Schema = ReadonlyMap<string, string>;

/** Each definition by its type and name, without the spaces and quotes in which a migrated file differs. */
function schemaOf(db: DatabaseSync): Schema {
  const rows = db.prepare('select type, name, tbl_name, sql from sqlite_schema').all() as unknown as SchemaRow[];
  return new Map(
    rows.map(({ type, name, tbl_name, sql }) => [`${type} ${name}`, `${tbl_name}: ${normalized(sql ?? '')}`]),
  );
}

const normalized = (sql: string): string =>
  sql
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),]) ?/g, '$1')
    .replace(/^create (table|index) /i, 'create $1 ');
