/** Task class and risk decide whether a model may answer directly, regardless of what the model claims. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { planOf, type Rig } from '../rig.ts';
import { answerPlan, taskRig, toolPlan } from './bench.ts';

const ORCHESTRATOR = 'reasoning:decision:made-by-orchestrator';
const DIRECT = 'reasoning:direct:low-stakes-estimate-and-drafting';
const EXACT = 'reasoning:tool:exact-calculation';
const STATE = 'reasoning:tool:external-and-account-state';
const CODE = 'reasoning:tool:code-results-by-execution';
const ADVICE = 'reasoning:limited:high-stakes-needs-sources';

const GUESSES = [answerPlan('It is 1,234.56.', 1), answerPlan('It is surely 1,234.56.', 2), answerPlan('1,234.56!', 3)];

/** Expects that no answer was released and that each plan was rejected with the reason. */
async function expectRefused(bench: Rig, code = 'VALIDATION_FAIL'): Promise<void> {
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe(code);
  expect(bench.dispatches).toEqual([]);
  const events = await bench.events(outcome.runId);
  const verified = eventsOf(events, 'plan_verified');
  expect(verified.length).toBeGreaterThan(0);
  for (const { problems } of verified) {
    expect(problems).toMatchObject([{ code: 'grounding_violation', path: '/answer', detail: { label: 'assumed' } }]);
  }
  expect(eventsOf(events, 'response_compiled')).toEqual([]);
  expect(eventsOf(events, 'step_committed')).toEqual([]);
}

for (const kind of ['rough_estimate', 'drafting', 'summary_of_given']) {
  verifies(DIRECT, `${kind}: releases the model's own answer without a tool call`, async () => {
    const bench = taskRig({ kind }, [answerPlan('About forty.')]);
    const outcome = await bench.invoke();
    expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches).toEqual([]);
    const events = await bench.events(outcome.runId);
    expect(eventsOf(events, 'response_compiled')).toMatchObject([{ text: 'About forty.', claims: [] }]);
    await bench.runtime.records.replay(outcome.runId);
  });
}

verifies(DIRECT, 'a summary that needs retrieval requires a tool', async () => {
  await expectRefused(taskRig({ kind: 'summary_with_retrieval' }, GUESSES));
  const tools = { search: { produces: ['passages'] } };
  const bench = taskRig({ kind: 'summary_with_retrieval', tools, evidence: 'passages' }, [
    answerPlan('x'),
    toolPlan('search', 2),
  ]);
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toHaveLength(1);
});

verifies(DIRECT, 'rejects an estimate above low risk, and a draft in place of evidence', async () => {
  await expectRefused(taskRig({ kind: 'rough_estimate', risk: 'moderate' }, GUESSES));
  const tools = { pay: { produces: ['receipt'] } };
  const bench = taskRig(
    { kind: 'drafting', tools, evidence: 'receipt' },
    [1, 2, 3].map((n) => answerPlan('Paid.', n)),
  );
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).not.toBe('SUCCESS');
  expect(eventsOf(await bench.events(outcome.runId), 'response_compiled')).toEqual([]);
});

verifies(ORCHESTRATOR, 'rejects an exact task that the model labels as drafting', async () => {
  const sly = GUESSES.map((plan) => ({ ...plan, intent: 'drafting' }));
  await expectRefused(taskRig({ kind: 'exact_calculation', risk: 'high' }, sly));
});

verifies(ORCHESTRATOR, 'an unknown task class requires a tool', async () => {
  for (const kind of ['palmistry', 'Drafting', 'toString']) await expectRefused(taskRig({ kind }, GUESSES));
});

verifies(ORCHESTRATOR, 'rejects an answer combined with steps', async () => {
  const both = planOf([{ id: 'a', tool: 'look' }], { answer: 'Done.' });
  const bench = taskRig({ kind: 'drafting' }, [both, answerPlan('Here it is.', 2)]);
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toEqual([]);
  expect(bench.planner.requests[1]?.reason).toMatchObject({ code: 'grounding_violation' });
});

verifies(EXACT, 'rejects a total that was not computed, and ends the run if none is', async () => {
  await expectRefused(taskRig({ kind: 'exact_calculation' }, GUESSES));
});

verifies(EXACT, 'after a repair with the calculator, the total comes from the tool', async () => {
  const tools = {
    calculator: { category: 'sandbox_code', produces: ['total'], execute: () => ({ total: 1_235 }) },
  } as const;
  const bench = taskRig({ kind: 'exact_calculation', tools, evidence: 'total' }, [
    answerPlan('1,234.56'),
    toolPlan('calculator', 2),
  ]);
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  const [response] = eventsOf(await bench.events(outcome.runId), 'response_compiled');
  expect(response).toMatchObject({ claims: [{ observation: 'ev_1' }] });
  expect(response?.text).not.toContain('1,234.56');
});

for (const kind of ['current_fact', 'account_state', 'tool_result']) {
  verifies(STATE, `${kind}: requires a lookup`, async () => {
    await expectRefused(taskRig({ kind }, GUESSES));
    const tools = { ask: { produces: ['fact'] } };
    const asked = taskRig({ kind, tools, evidence: 'fact' }, [toolPlan('ask')]);
    expect(await asked.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  });
}

const TESTS = {
  category: 'sandbox_code',
  produces: ['tests'],
  retries_max: 0,
  output_schema: { type: 'object', properties: { exit: { const: 0 } }, required: ['exit'] },
} as const;

verifies(CODE, 'rejects a claim that tests pass before they ran', async () => {
  await expectRefused(taskRig({ kind: 'code_result' }, GUESSES));
});

verifies(CODE, 'commits a successful test run, and not a failed one', async () => {
  const ran = (exit: number): Rig =>
    taskRig(
      { kind: 'code_result', tools: { tests: { ...TESTS, execute: () => ({ exit }) } }, evidence: 'tests' },
      [1, 2, 3].map((n) => toolPlan('tests', n)),
    );
  const [good, bad] = [ran(0), ran(1)];
  const passed = await good.invoke();
  expect(passed).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(eventsOf(await good.events(passed.runId), 'step_committed')).toHaveLength(1);
  const failed = await bad.invoke();
  expect(failed.terminalCode).toBe('VALIDATION_FAIL');
  expect(eventsOf(await bad.events(failed.runId), 'step_committed')).toEqual([]);
});

verifies(ADVICE, 'sends high-stakes advice without sources to a reviewer, without asking the model again', async () => {
  const bench = taskRig({ kind: 'high_stakes_advice', risk: 'high' }, GUESSES);
  await expectRefused(bench, 'REVIEW_REQUIRED');
  expect(bench.planner.requests).toHaveLength(1);
});

verifies(ADVICE, 'releases high-stakes advice with verified sources', async () => {
  const tools = { guideline: { produces: ['sources'] } };
  const task = { kind: 'high_stakes_advice', risk: 'high', tools, evidence: 'sources' } as const;
  const bench = taskRig(task, [toolPlan('guideline')]);
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(eventsOf(await bench.events(outcome.runId), 'response_compiled')).toMatchObject([
    { claims: [{ observation: 'ev_1' }] },
  ]);
});
