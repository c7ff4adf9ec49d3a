/** An agent without declared criteria: the model proposes the end, and the completion check permits it. */
import { expect, onTestFinished, test } from 'vitest';
import { modelProfile, planFirst, reactive, templatePlanner } from '../../../src/index.ts';
import { REQUEST_ANSWERED } from '../../../src/model/plan/goal.ts';
import { modelServer } from '../../../src/testing/model-server/model-server.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { sdkModel, WIRES } from '../../models/wires.ts';
import { of } from '../planning/bench.ts';
import { neverAnswers, type RigOptions, type RigTool } from '../rig.ts';
import { decide, reactiveBench, respond, shownTo } from './bench.ts';
import { ASK, account, billing, end, invoice, scripted } from './billing.ts';

test('answers both parts of a question, with or without an empty list of criteria', async () => {
  for (const changes of [{}, { criteria: [] as const }]) {
    const bench = scripted([account, invoice, end], changes);
    const run = await bench.runtime.invoke(ASK);
    expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'goal_met' });
    expect(bench.calls).toEqual(['billing.account', 'billing.invoice']);
    expect(run.text).toContain('Pro');
    expect(run.text).toContain('49.90');
    bench.model.assertDrained();
    await bench.runtime.records.replay(run.runId);
  }
});

test('tells the model that the request is open, and that every part has to be answered before respond', async () => {
  const bench = scripted([account, invoice, end]);
  await bench.runtime.invoke(ASK);
  expect(bench.model.prompts[0]?.system).toContain('Every part of the request is answered.');
  expect(bench.model.prompts[0]?.system).toContain('If the request has several parts');
  expect(shownTo(bench.model, 1)).toContain('the end has not been proposed');
});

test.each(WIRES)('%s: answers both parts over HTTP', async (wire) => {
  const server = await modelServer([account, invoice, end].map((json) => ({ json: json as never })));
  onTestFinished(() => server.close());
  const bench = billing(reactive({ model: modelProfile(sdkModel(wire, server.url), { price: 'free' }) }));
  const run = await bench.runtime.invoke(ASK);
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.calls).toEqual(['billing.account', 'billing.invoice']);
  server.assertDrained();
});

test('shows everything that was observed if respond names no inputs', async () => {
  const bench = scripted([account, invoice, decide('respond', { objective: 'answer' })]);
  const run = await bench.runtime.invoke(ASK);
  expect(run.text).toContain('Pro');
  expect(run.text).toContain('49.90');
});

test('refuses an end that is proposed before anything was observed, and tells the model why', async () => {
  const early = decide('respond', { objective: 'You are on the Pro plan and paid 49.90 EUR.' });
  const bench = scripted([early, account, invoice, end]);
  const run = await bench.runtime.invoke(ASK);
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.calls).toEqual(['billing.account', 'billing.invoice']);
  expect(shownTo(bench.model, 1)).toContain('nothing has been observed that could answer the request');
  const violations = of(await bench.events(run.runId), 'violation_noted');
  expect(violations).toMatchObject([{ indicator: 'premature_termination', subject: 'SUCCESS' }]);
  await bench.runtime.records.replay(run.runId);
});

test('a model that only ever proposes the end ends without success', async () => {
  const early = decide('respond', { objective: 'done' });
  const bench = scripted(Array.from({ length: 20 }, () => early));
  const run = await bench.runtime.invoke(ASK);
  expect(run.terminalCode).not.toBe('SUCCESS');
  expect(run.reason ?? run.suspended?.reason).toMatch(/replan_budget_exhausted|loop_detected/u);
  expect(bench.model.prompts.length).toBeLessThan(10);
  await bench.runtime.records.replay(run.runId);
});

test('the step limit ends a run that never proposes the end', async () => {
  const steps = Array.from({ length: 40 }, (_, at) => decide('billing.account', { customer_id: `cus_${at}` }));
  const bench = scripted(steps);
  const run = await bench.runtime.invoke(ASK);
  expect(run).toMatchObject({ terminalCode: 'BUDGET_EXHAUSTED', reason: 'max_iterations_exceeded' });
  await bench.runtime.records.replay(run.runId);
});

test('an answer without the part of a failed step is a partial success', async () => {
  const bench = scripted([account, invoice, decide('respond', { objective: 'answer' }, { inputs: ['account'] })], {
    failing: 'billing.invoice',
  });
  const run = await bench.runtime.invoke(ASK);
  expect(run).toMatchObject({ terminalCode: 'PARTIAL_SUCCESS', reason: 'secondary_unresolved' });
  expect(run.text).toContain('Pro');
  await bench.runtime.records.replay(run.runId);
});

test('an end that is proposed while a call is in doubt waits for a person and asks the model no more', async () => {
  const pay: RigTool = {
    approval_mode: 'local_write',
    side_effect: true,
    retries_max: 1,
    idempotency: { kind: 'key', retention_ms: 86_400_000 },
    execute: neverAnswers,
  };
  const bench = reactiveBench([decide('look'), decide('pay'), respond], {
    tools: { look: {}, pay },
    agent: withoutCriteria,
  });
  const run = await bench.invoke({ goal: { statement: 'Pay it' } });
  expect(run).toMatchObject({ status: 'paused', terminalCode: null, text: null, doubts: [{ tool: 'pay' }] });
  expect(run.suspended).toMatchObject({ code: 'REVIEW_REQUIRED', reason: 'call_in_doubt' });
  expect(bench.model.prompts).toHaveLength(3);
  await bench.runtime.records.replay(run.runId);
});

test('does not answer from sources that contradict each other, and a person decides', async () => {
  const total = (amount: number): RigTool => ({
    trusted: true,
    produces: ['balance'],
    asserts: [{ type: 'balance', subject: '/account', values: { total: '/total' } }],
    output_schema: { type: 'object', properties: { total: { type: 'integer' } } },
    execute: async () => ({ total: amount }),
  });
  const turns = ['ledger', 'bank', 'auditor'].map((source) => decide(source, { account: 'acc_1' }));
  const bench = reactiveBench([...turns, respond], {
    tools: { ledger: total(1), bank: total(2), auditor: total(3) },
    agent: withoutCriteria,
  });
  const run = await bench.invoke({ goal: { statement: 'What is the total?' } });
  expect(run).toMatchObject({ status: 'paused', text: null, suspended: { code: 'SOURCE_CONFLICT' } });
  await bench.runtime.records.replay(run.runId);
});

test('without criteria, a plan is done when its respond step is done', async () => {
  const steps = [account, invoice].map((decision, at) => ({ ...stepIn(decision), id: `s${at}` }));
  const respond = { ...stepIn(end), id: 's3', depends_on: ['s0', 's1'] };
  const bench = billing(planFirst({ model: scriptedModel([{ steps: [...steps, respond] }]) }));
  const run = await bench.runtime.invoke(ASK);
  expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'goal_met' });
  expect(run.text).toContain('Pro');
  expect(run.text).toContain('49.90');
  await bench.runtime.records.replay(run.runId);
});

test('a plan that only responds is refused, and the next plan is told why', async () => {
  const model = scriptedModel([{ steps: [] }, { steps: [{ ...stepIn(account), id: 's1' }] }]);
  const bench = billing(planFirst({ model }));
  const run = await bench.runtime.invoke(ASK);
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.calls).toEqual(['billing.account']);
  expect(model.prompts[1]?.system).toContain('nothing has been observed that could answer the request');
});

test('the plan of a template needs neither criteria nor respond', async () => {
  const steps = [{ id: 's1', tool: 'billing.account', params: { customer_id: 'cus_1' } }];
  const template = { plan_id: 'plan_1', intent: 'billing.question', steps, decision_checkpoints: [] };
  const bench = billing(templatePlanner({ 'billing.question': template }));
  const run = await bench.runtime.invoke(ASK);
  expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'goal_met' });
  expect(run.text).toContain('Pro');
  await bench.runtime.records.replay(run.runId);
});

const withoutCriteria: NonNullable<RigOptions['agent']> = (agent) => ({
  ...agent,
  intents: agent.intents.map((intent) => ({ ...intent, criteria: [REQUEST_ANSWERED] })),
});

/** The step of a decision. */
const stepIn = (decision: object): object => (decision as { readonly steps: readonly [object] }).steps[0];
