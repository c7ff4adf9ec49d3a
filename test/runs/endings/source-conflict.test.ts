/** Tests that a run that finds no further source for a conflict is handed over as SOURCE_CONFLICT, through the public API. */
import { expect, test } from 'vitest';
import type { Ambit, RunOutcome } from '../../../src/index.ts';
import type { AcceptanceCriterion } from '../../../src/model/plan/goal.ts';
import { verifies } from '../../requirements/verifies.ts';
import { decide, respond } from '../reactive/bench.ts';
import { operator, planOf, rig } from '../rig.ts';
import { eventsIn, source, work, worker } from './cause-bench.ts';

const ID = 'terminate:source-conflict:freeze-claim';
const BALANCE: AcceptanceCriterion = {
  id: 'known',
  statement: 'The balance is known.',
  rank: 'primary',
  evidence: 'balance',
};
const ACCOUNT = { account: 'acc_1' };
const BOTH = [
  { id: 'a', tool: 'ledger', params: ACCOUNT },
  { id: 'b', tool: 'bank', params: ACCOUNT },
];
const DISAGREE = 'ev_1 and ev_2 disagree on balance/total of acc_1: ledger, bank';
const sources = () => [source('ledger', () => 1), source('bank', () => 2)];

/** The run waits for a reviewer because of the conflict, and each report names it. */
async function expectConflict(runtime: Ambit, run: RunOutcome, blocker?: string): Promise<void> {
  expect(run).toMatchObject({
    status: 'paused',
    authority: 'review_queue',
    suspended: { code: 'SOURCE_CONFLICT', reason: 'source_conflict', detail: { evidence: ['ev_1', 'ev_2'] } },
  });
  expect(run.why).toEqual(blocker === undefined ? [DISAGREE] : [DISAGREE, blocker]);
  expect(await runtime.records.handoff(run.runId)).toMatchObject({
    escalation: {
      trigger: 'source_conflict',
      route: 'review',
      reason: expect.stringContaining('source_conflict'),
      refs: ['ev_1', 'ev_2'],
    },
  });
  expect(await runtime.records.diagnose(run.runId)).toMatchObject([{ family: 'source_conflict', shownBy: DISAGREE }]);
  await eventsIn(runtime, run.runId);
}

for (const criteria of [[BALANCE], []]) {
  const declared = criteria.length === 0 ? 'without declared criteria' : 'with a criterion about the fact';
  verifies(ID, `a planner that only repeats its plan has no further source, ${declared}`, async () => {
    const runtime = worker({ tools: sources(), steps: BOTH, criteria });
    await expectConflict(
      runtime,
      await work(runtime),
      'every step of the new plan has been done already and the goal is not met',
    );
  });
}

verifies(ID, 'a further source that fails settles nothing', async () => {
  const broken = source('auditor', () => {
    throw new Error('closed today');
  });
  const runtime = worker({
    tools: [...sources(), broken],
    turns: [decide('ledger', ACCOUNT), decide('bank', ACCOUNT), ...[1, 2, 3].map(() => decide('auditor', ACCOUNT))],
  });
  await expectConflict(runtime, await work(runtime), 'auditor failed: closed today');
});

verifies(ID, 'a reactive run that answers without a further source is handed over', async () => {
  const turns = [decide('ledger', ACCOUNT), decide('bank', ACCOUNT), respond, respond];
  const runtime = worker({ tools: sources(), turns });
  await expectConflict(runtime, await work(runtime));
});

verifies(ID, 'a planner without a further plan settles nothing', async () => {
  const total = (value: number) => ({
    produces: ['done'],
    asserts: [{ type: 'done', subject: '/account', values: { total: '/total' } }],
    output_schema: { type: 'object', properties: { total: { type: 'integer' } } },
    execute: () => ({ total: value }),
  });
  const bench = rig({ tools: { ledger: total(1), bank: total(2) }, plans: [planOf(BOTH)] });
  const run = await bench.invoke();
  expect(run.suspended).toMatchObject({ code: 'SOURCE_CONFLICT', detail: { cause: 'script_unexpected_call' } });
  expect(run.authority).toBe('review_queue');
  await bench.runtime.records.replay(run.runId);
});

test('a third source settles the conflict, and the run goes on', async () => {
  const turns = [decide('ledger', ACCOUNT), decide('bank', ACCOUNT), decide('auditor', ACCOUNT), respond];
  const runtime = worker({ tools: [...sources(), source('auditor', () => 2)], turns });
  const run = await work(runtime);
  expect(run.terminalCode).toBe('SUCCESS');
  expect(await runtime.records.diagnose(run.runId)).toEqual([]);
});

test('a person who finalizes the run releases nothing that is disputed', async () => {
  const runtime = worker({ tools: sources(), steps: BOTH, criteria: [BALANCE] });
  const { runId, handoverHash } = await work(runtime);
  const run = await runtime.sessions.decideEscalation(runId, {
    decision: 'finalize',
    packetHash: handoverHash ?? '',
    credential: operator('reviewer'),
    reason: 'say what is certain',
  });
  expect(run).toMatchObject({ status: 'completed', terminalCode: 'PARTIAL_SUCCESS' });
  expect(run.text).not.toMatch(/[12]/);
  await eventsIn(runtime, runId);
});

test('a person who terminates the run ends it with this code', async () => {
  const runtime = worker({ tools: sources(), steps: BOTH, criteria: [BALANCE] });
  const { runId, handoverHash } = await work(runtime);
  const run = await runtime.sessions.decideEscalation(runId, {
    decision: 'terminate',
    packetHash: handoverHash ?? '',
    credential: operator('reviewer'),
    reason: 'cannot tell',
  });
  expect(run).toMatchObject({ status: 'failed', terminalCode: 'SOURCE_CONFLICT', reason: 'source_conflict' });
  expect(run.text).toBe('My sources contradict each other, so I cannot answer this.');
});
