import assert from 'node:assert/strict';
import { type KillSwitch, REFUSED_LIFTS_MAX } from '../../../model/kill-switch.ts';
import { type JournalCase, refused } from './case.ts';
import { type Draft, draft } from './draft.ts';
import { effectRow } from './rows.ts';

const THROWN = { by: 'ana', reason: 'refunds go to the wrong account', at: 1_000 };
const LIFTED = { by: 'ben', reason: 'repaired', at: 2_000 };

const switchOn = (switch_id: string, scope: KillSwitch['scope']): KillSwitch => ({
  switch_id,
  scope,
  thrown: THROWN,
  lifted: null,
});

const intent = (session_id: string): NonNullable<Draft['rows']> => ({
  effects: [effectRow({ idempotency_key: `key_${session_id}`, session_id })],
  intents: ['payments.issue_refund'],
});

/** What a kill switch promises: it is looked at inside the append, so nobody who comes later is too early. */
export const STOPPING: readonly JournalCase[] = [
  ...[{ tenant: 'tenant_a' }, { agent: 'support' }, { tool: 'payments.issue_refund' }].map(
    (scope): JournalCase => ({
      name: `a kill switch on a ${Object.keys(scope)[0]} refuses every intent it stops, and nothing else`,
      run: async ({ hash, open }) => {
        const journal = await open();
        const elsewhere = await open();
        await elsewhere.throwSwitch(switchOn('switch_1', scope));
        const stopped = draft(hash, { rows: intent('sess_1') });
        const fault = await refused(journal.append(stopped), 'kill_switch_on');
        assert.match(fault.message, /ana.*refunds go to the wrong account/);
        assert.deepEqual(await journal.load('sess_1'), []);
        assert.deepEqual(await journal.effects('sess_1'), []);
        await journal.append(draft(hash));
        const row = { tenant_id: 'tenant_b', agent: 'other' };
        const other = effectRow({ idempotency_key: 'key_2', session_id: 'sess_2', tool: 'notes.write' });
        await journal.append(
          draft(hash, { session: 'sess_2', row, rows: { effects: [other], intents: [other.tool] } }),
        );
      },
    }),
  ),
  {
    name: 'no intent of a lane is stored once the session above it has ended, whoever writes it',
    run: async ({ hash, open }) => {
      const journal = await open();
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
      // What is no intent is still put on record: the lane has to be able to end.
      await journal.append(draft(hash, { after: lane.frame, rows: { parent: 'sess_parent' } }));
    },
  },
  {
    name: 'a kill switch on an agent stops it in the lanes of others as well, by its own name',
    run: async ({ hash, open }) => {
      const journal = await open();
      await journal.throwSwitch(switchOn('switch_1', { agent: 'payer' }));
      const lane = (session: string, workers: readonly string[]): ReturnType<typeof draft> =>
        draft(hash, { session, row: { agent: 'boss/delegate' }, rows: { ...intent(session), workers } });
      await refused(journal.append(lane('sess_1', ['boss', 'payer'])), 'kill_switch_on');
      await journal.append(lane('sess_2', ['boss', 'reader']));
    },
  },
  {
    name: 'a switch that names two things stops only what is both',
    run: async ({ hash, open }) => {
      const journal = await open();
      await journal.throwSwitch(switchOn('switch_1', { tenant: 'tenant_b', tool: 'payments.issue_refund' }));
      await journal.append(draft(hash, { rows: intent('sess_1') }));
      const row = { tenant_id: 'tenant_b' };
      await refused(journal.append(draft(hash, { session: 'sess_2', row, rows: intent('sess_2') })), 'kill_switch_on');
    },
  },
  {
    name: 'an intent that is stored already is offered again without a fault, whatever was thrown since',
    run: async ({ hash, open }) => {
      const journal = await open();
      const stored = draft(hash, { rows: intent('sess_1') });
      await journal.append(stored);
      await journal.throwSwitch(switchOn('switch_1', { tenant: 'tenant_a' }));
      await journal.append(stored);
      const settled = effectRow({ idempotency_key: 'key_sess_1', session_id: 'sess_1', state: 'settled' });
      await journal.append(draft(hash, { after: stored.frame, rows: { effects: [settled] } }));
    },
  },
  {
    name: 'a switch that is lifted stops nothing more and stays on record',
    run: async ({ hash, open }) => {
      const journal = await open();
      await journal.throwSwitch(switchOn('switch_1', { tenant: 'tenant_a' }));
      await journal.liftSwitch('switch_1', LIFTED);
      await journal.liftSwitch('switch_1', { ...LIFTED, by: 'eve' });
      await journal.append(draft(hash, { rows: intent('sess_1') }));
      const expected = [{ ...switchOn('switch_1', { tenant: 'tenant_a' }), lifted: LIFTED }];
      assert.deepEqual(await journal.killSwitches(), expected);
      await refused(journal.liftSwitch('switch_2', LIFTED), 'switch_not_found');
    },
  },
  {
    name: 'who could not lift a switch is on record with it, up to a bound, and it stays on',
    run: async ({ hash, open }) => {
      const journal = await open();
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
    },
  },
  {
    name: 'what is settled is found by its key and stays as it is when it is asked for again',
    run: async ({ hash, open }) => {
      const journal = await open();
      const first = draft(hash, { rows: intent('sess_1') });
      await journal.append(first);
      const settled = effectRow({ idempotency_key: 'key_sess_1', session_id: 'sess_1', state: 'settled' });
      const second = draft(hash, { after: first.frame, rows: { effects: [settled] } });
      await journal.append(second);
      await journal.append(draft(hash, { after: second.frame, rows: intent('sess_1') }));
      assert.deepEqual(await journal.effect('sess_1', 'key_sess_1'), settled);
      assert.equal(await journal.effect('sess_1', 'key_sess_2'), null);
    },
  },
];
