/** Whole runs with the shipped critic, in which two sources say different things about one account. */
import { expect, test } from 'vitest';
import type { Assertion } from '../../../src/model/tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { planOf, type Rig, rig, shown } from '../rig.ts';

const TOTAL: Assertion = { type: 'done', subject: '/account', values: { total: '/total' } };

interface Said {
  readonly ledger: number;
  readonly bank: number;
  readonly auditor: number;
  readonly asserts?: Assertion;
  /** Whom the second plan asks. */
  readonly second?: string;
  readonly bankAccount?: string;
}

function accounts({ asserts = TOTAL, second = 'auditor', bankAccount = 'acc_1', ...totals }: Said): Rig {
  const source = (total: number) => ({
    produces: ['done', 'aside'],
    asserts: [asserts],
    output_schema: { type: 'object', properties: { total: { type: 'integer' }, as_of: { type: 'integer' } } },
    execute: () => ({ total, as_of: total }),
  });
  const { ledger, bank, auditor } = totals;
  return rig({
    tools: {
      ledger: source(ledger),
      bank: source(bank),
      auditor: source(auditor),
      finish: { produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 'a', tool: 'ledger', params: { account: 'acc_1' } },
        { id: 'b', tool: 'bank', params: { account: bankAccount } },
      ]),
      planOf([{ id: 'c', tool: second, params: { account: 'acc_1' } }], { plan_id: 'plan_2' }),
    ],
  });
}

/** Live and replayed: the same state, every judgement derived again. */
async function replayed(bench: Rig, runId: string) {
  const { state } = await bench.runtime.replay(runId);
  return state;
}

verifies(
  ['reflection:conflict:one-cross-check', 'terminate:source-conflict:freeze-claim'],
  'one extra lookup, then a person is shown both sources; unresolved, the run ends with the code and nothing is said',
  async () => {
    const bench = accounts({ ledger: 1, bank: 2, auditor: 3 });
    const { runId, status } = await bench.invoke();
    expect(status).toBe('paused');
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['ledger', 'bank', 'auditor']);
    const [escalated] = eventsOf(await bench.events(runId), 'run_escalated');
    expect(escalated).toMatchObject({
      escalation: { recipient: 'review_queue' },
      stop: {
        code: 'SOURCE_CONFLICT',
        detail: {
          evidence: ['ev_1', 'ev_2', 'ev_3'],
          message: expect.stringContaining('ev_1 and ev_2 disagree on done/total of acc_1: ledger, bank'),
        },
      },
    });
    const packet = await bench.runtime.handoff(runId);
    expect(packet?.escalation.refs).toEqual(['ev_1', 'ev_2', 'ev_3']);
    expect(packet?.transcripts.map(({ call }) => call.tool)).toEqual(['ledger', 'bank', 'auditor']);

    const decided = {
      type: 'escalation_decided',
      decision: 'terminate',
      by: 'reviewer_1',
      reason: 'cannot tell',
      ...shown(await bench.runtime.outcome(runId)),
    };
    expect(await bench.settle(bench.runtime.tell(runId, decided))).toMatchObject({ terminalCode: 'SOURCE_CONFLICT' });
    expect(eventsOf(await bench.events(runId), 'response_compiled')).toEqual([]);
    const { ending, work } = await replayed(bench, runId);
    expect(ending.terminal).toMatchObject({ code: 'SOURCE_CONFLICT', detail: { evidence: ['ev_1', 'ev_2', 'ev_3'] } });
    expect(work.disputed).toEqual(['ev_1', 'ev_2', 'ev_3']);
    expect(work.evidence.size).toBe(3);
  },
);

verifies(
  'terminate:source-conflict:freeze-claim',
  'only the disputed claim is frozen: what a cross-check settled may be said, on its own evidence',
  async () => {
    const bench = accounts({ ledger: 1, bank: 2, auditor: 2 });
    const { runId, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('SUCCESS');
    const claims = eventsOf(await bench.events(runId), 'response_compiled').flatMap((event) => event.claims);
    expect(claims.map(({ observation }) => observation)).toEqual(['ev_3']);
    expect((await replayed(bench, runId)).work.disputed).toEqual(['ev_1', 'ev_2']);
  },
);

verifies(
  'terminate:source-conflict:freeze-claim',
  'a contradiction that neither the goal nor a decision hangs on is noted and halts nothing',
  async () => {
    const bench = accounts({ ledger: 1, bank: 2, auditor: 3, asserts: { ...TOTAL, type: 'aside' } });
    const { runId, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('SUCCESS');
    expect(bench.dispatches).toHaveLength(2);
    const findings = eventsOf(await bench.events(runId), 'step_judged').flatMap((event) => event.findings);
    expect(findings).toMatchObject([{ kind: 'source_conflict', severity: 'low', refs: ['ev_1', 'ev_2'] }]);
    expect((await replayed(bench, runId)).budget?.used.reflection_passes).toBe(0);
  },
);

test('a plan that goes around the contradiction does not get around the end of the run', async () => {
  const bench = accounts({ ledger: 1, bank: 2, auditor: 3, second: 'finish' });
  const { runId, status } = await bench.invoke();
  expect(status).toBe('paused');
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['ledger', 'bank', 'finish']);
  expect((await replayed(bench, runId)).people.escalation).toMatchObject({
    stop: { code: 'SOURCE_CONFLICT', detail: { evidence: ['ev_1', 'ev_2'] } },
  });
});

test('sources that agree, or speak of different things, contradict nothing', async () => {
  for (const said of [
    { ledger: 1, bank: 1, auditor: 1 },
    { ledger: 1, bank: 2, auditor: 1, bankAccount: 'acc_2' },
  ]) {
    const bench = accounts(said);
    const { runId, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('SUCCESS');
    const findings = eventsOf(await bench.events(runId), 'step_judged').flatMap((event) => event.findings);
    expect(findings).toEqual([]);
  }
});
