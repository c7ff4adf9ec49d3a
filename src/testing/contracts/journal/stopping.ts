import assert from 'node:assert/strict';
import { type KillSwitch, REFUSED_LIFTS_MAX } from '../../../model/gate/kill-switch.ts';
import { effectRow, type JournalCase, journalCase, refused } from './case.ts';
import { type DraftAppend, draft } from './draft.ts';

const THROWN = { by: 'ana', reason: 'refunds go to the wrong account', at: 1_000 };
const LIFTED = { by: 'ben', reason: 'repaired', at: 2_000 };

const switchOn = (switch_id: string, scope: KillSwitch['scope']): KillSwitch => ({
  switch_id,
  scope,
  thrown: THROWN,
  lifted: null,
});

const intent = (session_id: string): NonNullable<DraftAppend['rows']> => ({
  effects: [effectRow({ idempotency_key: `key_${session_id}`, session_id })],
  intents: ['payments.issue_refund'],
});

/** Kill switches are checked inside the append, so no later intent can slip through. */
export const STOPPING: readonly JournalCase[] = [
  ...[{ tenant: 'tenant_a' }, { agent: 'support' }, { tool: 'payments.issue_refund' }].map(
    (scope): JournalCase =>
      journalCase(
        `refuses only matching intents under a kill switch on a ${Object.keys(scope)[0]}`,
        async (journal, { hash, open }) => {
          const elsewhere = await open();
          await elsewhere.throwSwitch(switchOn('switch_1', scope));
          const stopped = draft(hash, { rows: intent('sess_1') });
          const fault = await refused(journal.append(stopped), 'kill_switch_on');
          assert.match(fault.message, /ana.{0,200}refunds go to the wrong account/);
          assert.deepEqual(await journal.load('sess_1'), []);
          assert.deepEqual(await journal.effects('sess_1'), []);
          await journal.append(draft(hash));
          const row = { tenant_id: 'tenant_b', agent: 'other' };
          const other = effectRow({ idempotency_key: 'key_2', session_id: 'sess_2', tool: 'notes.write' });
          await journal.append(
            draft(hash, { session: 'sess_2', row, rows: { effects: [other], intents: [other.tool] } }),
          );
        },
      ),
  ),
  journalCase(
    "refuses a lane's intents from any writer once the parent session has ended",
    async (journal, { hash, open }) => {
      const parent = draft(hash, { session: 'sess_parent' });
      await journal.append(parent);
      const lane = draft(hash, { session: 'sess_lane', rows: { ...intent('sess_lane'), parent: 'sess_parent' } });
      await journal.append(lane);
      const elsewhere = await open();
      const row = { terminal_code: 'USER_CANCEL', status: 'cancelled' } as const;
      await elsewhere.append(draft(hash, { after: parent.frame, row }));
      const effects = [effectRow({ idempotency_key: 'key_later', session_id: 'sess_lane' })];
      const later = { effects, intents: ['payments.issue_refund'], parent: 'sess_parent' };
      const fault = await refused(journal.append(draft(hash, { after: lane.frame, rows: later })), 'lane_parent_ended');
      assert.match(fault.message, /sess_parent.*USER_CANCEL/);
      assert.equal(await journal.effect('sess_lane', 'key_later'), null);
      // Frames without an intent are still accepted, so that the lane can end.
      await journal.append(draft(hash, { after: lane.frame, rows: { parent: 'sess_parent' } }));
    },
  ),
  journalCase('applies a kill switch on an agent to the lanes it works in for others', async (journal, { hash }) => {
    await journal.throwSwitch(switchOn('switch_1', { agent: 'payer' }));
    const lane = (session: string, workers: readonly string[]): ReturnType<typeof draft> =>
      draft(hash, { session, row: { agent: 'boss/delegate' }, rows: { ...intent(session), workers } });
    await refused(journal.append(lane('sess_1', ['boss', 'payer'])), 'kill_switch_on');
    await journal.append(lane('sess_2', ['boss', 'reader']));
  }),
  journalCase(
    "refuses a lane's intents if a run above it has recorded anything since it permitted them",
    async (journal, { hash, open }) => {
      const root = draft(hash, { session: 'sess_root' });
      await journal.append(root);
      const above = [{ session_id: 'sess_root', head_hash: root.frame.hash }];
      const rows = { ...intent('sess_lane'), parent: 'sess_parent', above };
      await journal.append(draft(hash, { session: 'sess_lane', rows }));
      await (await open()).append(draft(hash, { after: root.frame }));
      const later = (session: string): ReturnType<typeof draft> =>
        draft(hash, { session, rows: { ...intent(session), parent: 'sess_parent', above } });
      const fault = await refused(journal.append(later('sess_later')), 'lane_parent_moved');
      assert.match(fault.message, /sess_root/);
      assert.deepEqual(await journal.load('sess_later'), []);
      const unknown = [{ session_id: 'sess_unknown', head_hash: root.frame.hash }];
      const lost = draft(hash, { session: 'sess_lost', rows: { ...rows, ...intent('sess_lost'), above: unknown } });
      await refused(journal.append(lost), 'lane_parent_moved');
      // Frames without an intent are still accepted, so that the lane can end.
      await journal.append(draft(hash, { session: 'sess_later', rows: { parent: 'sess_parent', above } }));
    },
  ),
  journalCase('applies a kill switch on a lane tool to the calls of its lanes', async (journal, { hash }) => {
    await journal.throwSwitch(switchOn('switch_1', { agent: 'boss', tool: 'delegate' }));
    const lane = (session: string, through: readonly string[]): ReturnType<typeof draft> =>
      draft(hash, { session, row: { agent: 'boss/delegate' }, rows: { ...intent(session), through } });
    await refused(journal.append(lane('sess_1', ['dig', 'delegate'])), 'kill_switch_on');
    await journal.append(lane('sess_2', ['dig']));
  }),
  journalCase('applies a switch with two conditions only if both match', async (journal, { hash }) => {
    await journal.throwSwitch(switchOn('switch_1', { tenant: 'tenant_b', tool: 'payments.issue_refund' }));
    await journal.append(draft(hash, { rows: intent('sess_1') }));
    const row = { tenant_id: 'tenant_b' };
    await refused(journal.append(draft(hash, { session: 'sess_2', row, rows: intent('sess_2') })), 'kill_switch_on');
  }),
  journalCase('accepts a repeated append of a stored intent after a switch was set', async (journal, { hash }) => {
    const stored = draft(hash, { rows: intent('sess_1') });
    await journal.append(stored);
    await journal.throwSwitch(switchOn('switch_1', { tenant: 'tenant_a' }));
    await journal.append(stored);
    const settled = effectRow({ idempotency_key: 'key_sess_1', session_id: 'sess_1', state: 'settled' });
    await journal.append(draft(hash, { after: stored.frame, rows: { effects: [settled] } }));
  }),
  journalCase('keeps a lifted switch on record without effect', async (journal, { hash }) => {
    await journal.throwSwitch(switchOn('switch_1', { tenant: 'tenant_a' }));
    await journal.liftSwitch('switch_1', LIFTED);
    await journal.liftSwitch('switch_1', { ...LIFTED, by: 'eve' });
    await journal.append(draft(hash, { rows: intent('sess_1') }));
    const expected = [{ ...switchOn('switch_1', { tenant: 'tenant_a' }), lifted: LIFTED }];
    assert.deepEqual(await journal.killSwitches(), expected);
    await refused(journal.liftSwitch('switch_2', LIFTED), 'switch_not_found');
  }),
  journalCase('records refused attempts to lift a switch, up to a limit', async (journal, { hash }) => {
    const thrown = switchOn('switch_1', { tenant: 'tenant_a' });
    await journal.throwSwitch(thrown);
    const tried = { claimed_by: 'eve', reason: 'please', at: 3, code: 'permission_denied', message: 'no' } as const;
    for (let at = 0; at < REFUSED_LIFTS_MAX + 1; at += 1) await journal.noteRefusedLift('switch_1', { ...tried, at });
    const [found] = await journal.killSwitches();
    assert.equal(found?.refused?.length, REFUSED_LIFTS_MAX);
    assert.deepEqual(found?.refused?.[0], { ...tried, at: 0 });
    await refused(journal.append(draft(hash, { rows: intent('sess_1') })), 'kill_switch_on');
    await journal.liftSwitch('switch_1', LIFTED);
    assert.deepEqual((await journal.killSwitches())[0]?.lifted, LIFTED);
    await refused(journal.noteRefusedLift('switch_2', tried), 'switch_not_found');
  }),
  journalCase(
    'finds a settled effect by its key and keeps it when the intent is repeated',
    async (journal, { hash }) => {
      const first = draft(hash, { rows: intent('sess_1') });
      await journal.append(first);
      const settled = effectRow({ idempotency_key: 'key_sess_1', session_id: 'sess_1', state: 'settled' });
      const second = draft(hash, { after: first.frame, rows: { effects: [settled] } });
      await journal.append(second);
      await journal.append(draft(hash, { after: second.frame, rows: intent('sess_1') }));
      assert.deepEqual(await journal.effect('sess_1', 'key_sess_1'), settled);
      assert.equal(await journal.effect('sess_1', 'key_sess_2'), null);
    },
  ),
];
