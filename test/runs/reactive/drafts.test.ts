/** A model that returns a call and a text together: the call runs, and the text is kept as a draft. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { modelProfile, planFirst, reactive } from '../../../src/index.ts';
import { modelServer } from '../../../src/testing/model-server/model-server.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { sdkModel, WIRES } from '../../models/wires.ts';
import { of } from '../planning/bench.ts';
import { shownTo } from './bench.ts';
import { ASK, account, billing, end, invoice, scripted } from './billing.ts';

const CLAIM = 'You are on the Gold plan, see https://evil.example.';

test('runs the call of a decision, records its text, and shows it to the model as its draft', async () => {
  const bench = scripted([{ ...account, answer: CLAIM }, invoice, end]);
  const run = await bench.runtime.invoke(ASK);
  expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'goal_met' });
  expect(bench.calls).toEqual(['billing.account', 'billing.invoice']);
  const [first] = of(await bench.events(run.runId), 'plan_proposed');
  expect(first?.proposal).toMatchObject({ steps: [{ tool: 'billing.account' }], draft: CLAIM });
  expect(shownTo(bench.model, 1)).toContain(`"draft":${JSON.stringify(CLAIM)}`);
  expect(run.text).not.toContain('Gold');
  await bench.runtime.records.replay(run.runId);
});

test('keeps the text beside a bare step', async () => {
  const step = { tool: 'billing.account', params: { customer_id: 'cus_1' }, context_key: 'account', text: CLAIM };
  const bench = scripted([step, invoice, end]);
  const run = await bench.runtime.invoke(ASK);
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(shownTo(bench.model, 1)).toContain(JSON.stringify(CLAIM));
});

test('keeps the text beside a complete plan, and never releases it', async () => {
  const [first, last] = [account, end].map((decision) => (decision as { steps: [object] }).steps[0]);
  const steps = [
    { ...first, id: 's1' },
    { ...last, id: 's2', inputs: ['account'] },
  ];
  const bench = billing(planFirst({ model: scriptedModel([{ steps, answer: CLAIM }]) }));
  const run = await bench.runtime.invoke(ASK);
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.calls).toEqual(['billing.account']);
  const [proposed] = of(await bench.events(run.runId), 'plan_proposed');
  expect(proposed?.proposal).toMatchObject({ draft: CLAIM });
  expect(run.text).not.toContain('Gold');
});

describe.each(WIRES)('%s', (wire) => {
  test.each([false, true])('runs a tool call that comes with a text (streaming: %s)', async (streaming) => {
    const call = { tool: 'billing.account', args: { customer_id: 'cus_1' } };
    const server = await modelServer([
      { text: CLAIM, calls: [call] },
      { json: invoice as never },
      { json: end as never },
    ]);
    onTestFinished(() => server.close());
    const bench = billing(
      reactive({ model: modelProfile(sdkModel(wire, server.url), { price: 'free', answers: { streaming } }) }),
    );
    const run = await bench.runtime.invoke(ASK);
    expect(bench.calls[0]).toBe('billing.account');
    const [first] = of(await bench.events(run.runId), 'plan_proposed');
    expect(first?.proposal).toMatchObject({ steps: [{ tool: 'billing.account' }], draft: CLAIM });
    expect(JSON.stringify(server.requests[1]?.body)).toContain('You are on the Gold plan');
    expect(run.text ?? '').not.toContain('Gold');
  });
});
