import type { DatabaseSync } from 'node:sqlite';
import { type KillSwitch, withRefusedLift } from '../../model/gate/kill-switch.ts';
import type { Append } from '../../ports/journal/journal.ts';
import {
  intendedBy,
  isStopping,
  type KillSwitchStore,
  killSwitchOn,
  switchNotFound,
} from '../../ports/journal/kill-switches.ts';
import type { Statements } from './statements.ts';

interface Stored {
  readonly switch_json: string;
  readonly lifted_json: string | null;
}

function toSwitch({ switch_json, lifted_json }: Stored): KillSwitch {
  const thrown = JSON.parse(switch_json) as KillSwitch;
  return lifted_json === null ? thrown : { ...thrown, lifted: JSON.parse(lifted_json) as KillSwitch['lifted'] };
}

/** Runs inside the append's transaction, so that no switch can be thrown between the check and the write. */
export function refuseIfKilled(thrown: () => readonly KillSwitch[], { projections }: Append): void {
  const intended = intendedBy(projections);
  if (intended.length === 0) return;
  const found = thrown().find((each) => intended.some((call) => isStopping(each, call)));
  if (found !== undefined) throw killSwitchOn(found);
}

export function thrownSwitches({
  thrownSwitches: statement,
}: Pick<Statements, 'thrownSwitches'>): readonly KillSwitch[] {
  return statement.all().map((row) => toSwitch(row as unknown as Stored));
}

/** `ask` runs a query or an update on the connection and converts its errors. */
export function sqliteKillSwitches(ask: <T>(doing: string, run: (db: DatabaseSync) => T) => T): KillSwitchStore {
  return {
    throwSwitch: async (thrown) =>
      ask('a kill switch', (db) => {
        db.prepare('insert into kill_switches values (?, ?, null)').run(thrown.switch_id, JSON.stringify(thrown));
      }),
    liftSwitch: async (switchId, lifted) =>
      ask('a kill switch', (db) => {
        const known = db.prepare('select 1 from kill_switches where switch_id = ?').get(switchId);
        if (known === undefined) throw switchNotFound(switchId);
        const lift = 'update kill_switches set lifted_json = ? where switch_id = ? and lifted_json is null';
        db.prepare(lift).run(JSON.stringify(lifted), switchId);
      }),
    noteRefusedLift: async (switchId, refused) =>
      ask('a kill switch', (db) => {
        const known = db.prepare('select switch_json from kill_switches where switch_id = ?').get(switchId);
        if (known === undefined) throw switchNotFound(switchId);
        const { switch_json: before } = known as unknown as Stored;
        const now = JSON.stringify(withRefusedLift(JSON.parse(before) as KillSwitch, refused));
        // If another process recorded a refusal in between, this one is skipped rather than overwriting that one.
        const note = 'update kill_switches set switch_json = ? where switch_id = ? and switch_json = ?';
        db.prepare(note).run(now, switchId, before);
      }),
    killSwitches: async () =>
      ask('the kill switches', (db) => {
        const rows = db.prepare('select switch_json, lifted_json from kill_switches order by rowid').all();
        return rows.map((row) => toSwitch(row as unknown as Stored));
      }),
  };
}
