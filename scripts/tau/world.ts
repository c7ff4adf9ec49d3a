import { DatabaseSync } from 'node:sqlite';
import { canonicalize } from '../../src/model/json/canonical.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import { applyPatch, type PatchOperation } from '../injection/json-patch.ts';

/** A change that was really made to the world. A change made twice is recorded twice. */
export interface Deed {
  /** The world of the deed: every execution of a task starts in its own world. */
  readonly realm: string;
  /** Index of the call in the task. */
  readonly action: number;
  readonly tool: string;
  readonly args: JsonObject;
  /** The idempotency key of the call. */
  readonly key: string;
  readonly patch: readonly PatchOperation[];
}

/**
 * The world that the tools change, in a separate database. It knows nothing of journals, runs or plans. A deed and its
 * change are one durable row, so neither exists without the other.
 */
export interface World {
  /** Makes the change unconditionally. Throws, without a change, if the patch does not apply. */
  commit(deed: Deed): void;
  /** The first deed under this key. */
  find(key: string): Deed | null;
  /** The last deed of a realm. */
  last(realm: string): Deed | null;
  deeds(realm: string): readonly Deed[];
  /** The state of a realm after its deeds. */
  state(realm: string): Json;
  close(): void;
}

export function openWorld(path: string, beginning: Json): World {
  const db = new DatabaseSync(path);
  // Several processes use one file, and a killed one must leave no partial change.
  db.exec('pragma busy_timeout = 10000; pragma journal_mode = wal; pragma synchronous = full');
  db.exec(
    `create table if not exists deeds (
       id integer primary key, realm text not null, action integer not null, tool text not null,
       args text not null, key text not null, patch text not null
     ) strict;
     create index if not exists deeds_of_realm on deeds (realm, id);
     create index if not exists deeds_by_key on deeds (key)`,
  );
  const insert = db.prepare('insert into deeds (realm, action, tool, args, key, patch) values (?, ?, ?, ?, ?, ?)');
  const byKey = db.prepare('select * from deeds where key = ? order by id limit 1');
  const ofRealm = db.prepare('select * from deeds where realm = ? order by id');
  const lastOf = db.prepare('select * from deeds where realm = ? order by id desc limit 1');
  const deeds = (realm: string): readonly Deed[] => ofRealm.all(realm).flatMap((row) => deedOf(row) ?? []);
  const state = (realm: string): Json =>
    deeds(realm).reduce((before, { patch }) => applyPatch(before, patch), beginning);
  return {
    commit: (deed) => {
      applyPatch(state(deed.realm), deed.patch);
      const { realm, action, tool, args, key, patch } = deed;
      insert.run(realm, action, tool, canonicalize(args), key, JSON.stringify(patch));
    },
    find: (key) => deedOf(byKey.get(key)),
    last: (realm) => deedOf(lastOf.get(realm)),
    deeds,
    state,
    close: () => db.close(),
  };
}

function deedOf(row: Readonly<Record<string, unknown>> | undefined): Deed | null {
  if (row === undefined) return null;
  return {
    realm: String(row['realm']),
    action: Number(row['action']),
    tool: String(row['tool']),
    args: JSON.parse(String(row['args'])) as JsonObject,
    key: String(row['key']),
    patch: JSON.parse(String(row['patch'])) as readonly PatchOperation[],
  };
}
