/** Complete runs with the shipped critic, in which two sources disagree about one account. */
import { expect, test } from 'vitest';
import type { Assertion } from '../../../src/model/tool/tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { handoverPacket, planOf, type Rig, rig } from '../rig.ts';

const TOTAL: Assertion = { type: 'done', subject: '/account', values: { total: '/total' } };

interface SourceAnswers {
  readonly ledger: number;
  readonly bank: number;
  readonly auditor: number;
  readonly asserts?: Assertion;
  /** The tool that the second plan calls. */
  readonly second?: string;
  readonly bankAccount?: string;
}

function accounts({ asserts = TOTAL, second = 'auditor', bankAccount = 'acc_1', ...totals }: SourceAnswers): Rig {
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

/** The replayed state, with every judgement derived again. */
async function replayState(bench: Rig, runId: string) {
  const { state } = await bench.runtime.records.replay(runId);
  return state;
}

verifies(
  ['reflection:conflict:one-cross-check', 'terminate:source-conflict:freeze-claim'],
  'makes one extra lookup, then shows a person both sources; unresolved, the run ends without an answer',
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
    const packet = await bench.runtime.records.handoff(runId);
    expect(packet?.escalation.refs).toEqual(['ev_1', 'ev_2', 'ev_3']);
    expect(packet?.transcripts.map(({ call }) => call.tool)).toEqual(['ledger', 'bank', 'auditor']);

    const decided = {
      type: 'escalation_decided',
      decision: 'terminate',
      by: 'reviewer_1',
      reason: 'cannot tell',
      ...handoverPacket(await bench.runtime.sessions.get(runId)),
    };
    expect(await bench.settle(bench.runtime.sessions.send(runId, decided))).toMatchObject({
      terminalCode: 'SOURCE_CONFLICT',
    });
    expect(eventsOf(await bench.events(runId), 'response_compiled')).toEqual([]);
    const { ending, work } = await replayState(bench, runId);
    expect(ending.terminal).toMatchObject({ code: 'SOURCE_CONFLICT', detail: { evidence: ['ev_1', 'ev_2', 'ev_3'] } });
    expect(work.disputed).toEqual(['ev_1', 'ev_2', 'ev_3']);
    expect(work.evidence.size).toBe(3);
  },
);

verifies(
  'terminate:source-conflict:freeze-claim',
  'freezes only the disputed claim: a value settled by a cross-check may be claimed on its own evidence',
  async () => {
    const bench = accounts({ ledger: 1, bank: 2, auditor: 2 });
    const { runId, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('SUCCESS');
    const claims = eventsOf(await bench.events(runId), 'response_compiled').flatMap((event) => event.claims);
    expect(claims.map(({ observation }) => observation)).toEqual(['ev_3']);
    expect((await replayState(bench, runId)).work.disputed).toEqual(['ev_1', 'ev_2']);
  },
);

verifies(
  'terminate:source-conflict:freeze-claim',
  'notes a conflict that neither the goal nor a decision depends on, and halts nothing',
  async () => {
    const bench = accounts({ ledger: 1, bank: 2, auditor: 3, asserts: { ...TOTAL, type: 'aside' } });
    const { runId, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('SUCCESS');
    expect(bench.dispatches).toHaveLength(2);
    const findings = eventsOf(await bench.events(runId), 'step_judged').flatMap((event) => event.findings);
    expect(findings).toMatchObject([{ kind: 'source_conflict', severity: 'low', refs: ['ev_1', 'ev_2'] }]);
    expect((await replayState(bench, runId)).budget?.used.reflection_passes).toBe(0);
  },
);

test('a plan that avoids the conflict does not end the run', async () => {
  const bench = accounts({ ledger: 1, bank: 2, auditor: 3, second: 'finish' });
  const { runId, status } = await bench.invoke();
  expect(status).toBe('paused');
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['ledger', 'bank', 'finish']);
  expect((await replayState(bench, runId)).people.escalation).toMatchObject({
    stop: { code: 'SOURCE_CONFLICT', detail: { evidence: ['ev_1', 'ev_2'] } },
  });
});

test('sources that agree or describe different subjects do not conflict', async () => {
  for (const answers of [
    { ledger: 1, bank: 1, auditor: 1 },
    { ledger: 1, bank: 2, auditor: 1, bankAccount: 'acc_2' },
  ]) {
    const bench = accounts(answers);
    const { runId, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('SUCCESS');
    const findings = eventsOf(await bench.events(runId), 'step_judged').flatMap((event) => event.findings);
    expect(findings).toEqual([]);
  }
});
