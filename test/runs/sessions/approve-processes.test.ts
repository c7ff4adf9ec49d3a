/** A decision and a resume of the same run, each in a real process on one file and right before its first write. */
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { child } from '../gates/child.ts';
import { freshFile } from '../gates/stores.ts';
import { type Rig, rig } from '../rig.ts';
import { PAYING } from './paying-run.ts';

interface Result {
  readonly ended?: string | null;
  readonly fault?: string;
  readonly paid: number;
}

const open = (path: string): Rig => rig({ ...PAYING, world: { journal: sqliteJournal({ path, hash: sha256 }) } });

test.each(['approve', 'resume', 'both'] as const)(
  'the yes counts once when the process that writes first is: %s',
  { timeout: 120_000 },
  async (order) => {
    const path = freshFile();
    const opener = open(path);
    const { runId, pending } = await opener.invoke();
    await opener.runtime.close();
    const start = (action: string) =>
      child(
        '../sessions/approve-process.ts',
        path,
        action,
        runId,
        pending[0]?.gateId ?? '',
        pending[0]?.packetHash ?? '',
      );
    const [approving, resuming] = [start('approve'), start('resume')];
    expect(await Promise.all([approving.ready, resuming.ready])).toEqual(['ready', 'ready']);
    const [first, second] = order === 'resume' ? [resuming, approving] : [approving, resuming];
    first.write('go');
    if (order !== 'both') await first.lines();
    second.write('go');
    const [approved, resumed] = (await Promise.all([approving.lines(), resuming.lines()])).map(
      ([line]) => JSON.parse(line ?? '') as Result,
    );
    expect(approved?.fault).toBeUndefined();
    expect(resumed?.fault ?? 'session_driven').toBe('session_driven');
    expect((approved?.paid ?? 0) + (resumed?.paid ?? 0)).toBe(1);
    const later = open(path);
    const types = (await later.events(runId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'gate_decided')).toHaveLength(1);
    expect(await later.runtime.sessions.get(runId)).toMatchObject({ terminalCode: 'SUCCESS' });
    await later.runtime.records.replay(runId);
    await later.runtime.close();
  },
);
