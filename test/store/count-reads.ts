/** Counts what an operation reads from SQLite files: rows, parsed text and statements. */
import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite';

export interface Reads {
  /** The rows that all statements returned. */
  readonly rows: number;
  /** The characters that were parsed as JSON. */
  readonly parsed: number;
  /** How often each statement ran. */
  readonly runs: ReadonlyMap<string, number>;
}

type Method<Found> = (this: StatementSync, ...values: SQLInputValue[]) => Found;

interface Methods {
  readonly all: Method<readonly unknown[]>;
  readonly get: Method<unknown>;
  readonly iterate: Method<Iterable<unknown>>;
  readonly run: Method<unknown>;
}

/** Runs `work` and counts what it reads in this process. Restores the patched methods. */
export async function countReads(work: () => unknown): Promise<Reads> {
  const runs = new Map<string, number>();
  let rows = 0;
  let parsed = 0;
  const { all, get, iterate, run } = StatementSync.prototype as unknown as Methods;
  const { parse } = JSON;
  const note = (statement: StatementSync): void => {
    runs.set(statement.sourceSQL, (runs.get(statement.sourceSQL) ?? 0) + 1);
  };
  const counted = {
    all(this: StatementSync, ...values: SQLInputValue[]) {
      note(this);
      const found = all.apply(this, values);
      rows += found.length;
      return found;
    },
    get(this: StatementSync, ...values: SQLInputValue[]) {
      note(this);
      const found = get.apply(this, values);
      if (found !== undefined) rows += 1;
      return found;
    },
    *iterate(this: StatementSync, ...values: SQLInputValue[]) {
      note(this);
      for (const row of iterate.apply(this, values)) {
        rows += 1;
        yield row;
      }
    },
    run(this: StatementSync, ...values: SQLInputValue[]) {
      note(this);
      return run.apply(this, values);
    },
  };
  Object.assign(StatementSync.prototype, counted);
  JSON.parse = (text: string, ...rest: never[]) => {
    parsed += text.length;
    return parse(text, ...rest) as unknown;
  };
  try {
    await work();
  } finally {
    Object.assign(StatementSync.prototype, { all, get, iterate, run });
    JSON.parse = parse;
  }
  return { rows, parsed, runs };
}

/** A statement whose cost grows with a table, because it reads all of it or sorts what it finds. */
export interface Scan {
  readonly sql: string;
  readonly runs: number;
  readonly plan: string;
}

/**
 * A walk scans its own rows and a merge its branches; `modes` and `gaps` are constants of a listing. The tables are small:
 * one row, or one per process.
 */
const SMALL = /^SCAN (walk|modes|gaps|\(subquery|permission_head|drivers|sqlite_schema|CONSTANT|\d)/;

/** The statements that read a whole table or index instead of a part of it. */
export function scansIn(path: string, { runs }: Reads): readonly Scan[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const found: Scan[] = [];
  for (const [sql, count] of runs) {
    if (!/^\s*(select|with|delete|update)/i.test(sql)) continue;
    for (const { detail } of db.prepare(`explain query plan ${sql}`).all()) {
      const plan = String(detail);
      if (/^SCAN /.test(plan) && !SMALL.test(plan)) found.push({ sql, runs: count, plan });
    }
  }
  db.close();
  return found;
}
