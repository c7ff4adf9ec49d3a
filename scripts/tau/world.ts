import { DatabaseSync } from 'node:sqlite';
import { canonicalize } from '../../src/model/canonical.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { applyPatch, type PatchOperation } from '../injection/json-patch.ts';

/** Something that was really done to the world, once. What was done twice is there twice. */
export interface Deed {
  /** Whose world: every time a task is done it starts from the beginning, in a world of its own. */
  readonly realm: string;
  /** Which call of the task it was. */
  readonly action: number;
  readonly tool: string;
  readonly args: JsonObject;
  /** The idempotency key of the call. */
  readonly key: string;
  readonly patch: readonly PatchOperation[];
}

/**
 * The world that tools change, in a file of its own: it knows nothing of journals, runs or plans. A deed and the change
 * that it makes are one durable row, so neither is ever there without the other.
 */
export interface World {
  /** Does it, in any case. Fails, and does nothing, where the patch does not fit the world as it is. */
  commit(deed: Deed): void;
  /** What was done under this key. */
  find(key: string): Deed | null;
  /** The last thing that was done in a realm. */
  last(realm: string): Deed | null;
  deeds(realm: string): readonly Deed[];
  /** What the deeds of a realm have made of it. */
  state(realm: string): Json;
  close(): void;
}

export function openWorld(path: string, beginning: Json): World {
  const db = new DatabaseSync(path);
  // Several processes look at one file; whoever is killed leaves nothing half done.
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
