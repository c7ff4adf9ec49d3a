/** Whether a model may answer by itself follows from the kind of task and its risk, whatever the model says. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { planOf, type Rig } from '../rig.ts';
import { saying, using, working } from './bench.ts';

const ORCHESTRATOR = 'reasoning:decision:made-by-orchestrator';
const DIRECT = 'reasoning:direct:low-stakes-estimate-and-drafting';
const EXACT = 'reasoning:tool:exact-calculation';
const STATE = 'reasoning:tool:external-and-account-state';
const CODE = 'reasoning:tool:code-results-by-execution';
const ADVICE = 'reasoning:limited:high-stakes-needs-sources';

const GUESSES = [saying('It is 1,234.56.', 1), saying('It is surely 1,234.56.', 2), saying('1,234.56!', 3)];

/** Nothing of what the model said has left the run, and each time it was told why. */
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
  verifies(DIRECT, `${kind}: the model's own words are the answer, and no tool is called`, async () => {
    const bench = working({ kind }, [saying('About forty.')]);
    const outcome = await bench.invoke();
    expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches).toEqual([]);
    const events = await bench.events(outcome.runId);
    expect(eventsOf(events, 'response_compiled')).toMatchObject([{ text: 'About forty.', claims: [] }]);
    await bench.runtime.replay(outcome.runId);
  });
}

verifies(DIRECT, 'a summary that needs retrieval goes through a tool', async () => {
  await expectRefused(working({ kind: 'summary_with_retrieval' }, GUESSES));
  const tools = { search: { produces: ['passages'] } };
  const bench = working({ kind: 'summary_with_retrieval', tools, evidence: 'passages' }, [
    saying('x'),
    using('search', 2),
  ]);
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toHaveLength(1);
});

verifies(
  DIRECT,
  'an estimate will not do where something hangs on it, and no draft shows what evidence has to',
  async () => {
    await expectRefused(working({ kind: 'rough_estimate', risk: 'moderate' }, GUESSES));
    const tools = { pay: { produces: ['receipt'] } };
    const bench = working(
      { kind: 'drafting', tools, evidence: 'receipt' },
      [1, 2, 3].map((n) => saying('Paid.', n)),
    );
    const outcome = await bench.invoke();
    expect(outcome.terminalCode).not.toBe('SUCCESS');
    expect(eventsOf(await bench.events(outcome.runId), 'response_compiled')).toEqual([]);
  },
);

verifies(ORCHESTRATOR, 'a model that calls an exact task a draft is overruled', async () => {
  const sly = GUESSES.map((plan) => ({ ...plan, intent: 'drafting' }));
  await expectRefused(working({ kind: 'exact_calculation', risk: 'high' }, sly));
});

verifies(ORCHESTRATOR, 'a kind of task that nobody listed needs a tool', async () => {
  for (const kind of ['palmistry', 'Drafting', 'toString']) await expectRefused(working({ kind }, GUESSES));
});

verifies(ORCHESTRATOR, 'an answer beside steps is none', async () => {
  const both = planOf([{ id: 'a', tool: 'look' }], { answer: 'Done.' });
  const bench = working({ kind: 'drafting' }, [both, saying('Here it is.', 2)]);
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toEqual([]);
  expect(bench.planner.requests[1]?.reason).toMatchObject({ code: 'grounding_violation' });
});

verifies(EXACT, 'a total that was not computed is refused, and the run ends if nobody computes it', async () => {
  await expectRefused(working({ kind: 'exact_calculation' }, GUESSES));
});

verifies(EXACT, 'repaired with the calculator, the total is its own', async () => {
  const tools = {
    calculator: { category: 'sandbox_code', produces: ['total'], execute: () => ({ total: 1_235 }) },
  } as const;
  const bench = working({ kind: 'exact_calculation', tools, evidence: 'total' }, [
    saying('1,234.56'),
    using('calculator', 2),
  ]);
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  const [response] = eventsOf(await bench.events(outcome.runId), 'response_compiled');
  expect(response).toMatchObject({ claims: [{ observation: 'ev_1' }] });
  expect(response?.text).not.toContain('1,234.56');
});

for (const kind of ['current_fact', 'account_state', 'tool_result']) {
  verifies(STATE, `${kind}: what nobody has looked up is not said`, async () => {
    await expectRefused(working({ kind }, GUESSES));
    const tools = { ask: { produces: ['fact'] } };
    const asked = working({ kind, tools, evidence: 'fact' }, [using('ask')]);
    expect(await asked.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  });
}

const TESTS = {
  category: 'sandbox_code',
  produces: ['tests'],
  retries_max: 0,
  output_schema: { type: 'object', properties: { exit: { const: 0 } }, required: ['exit'] },
} as const;

verifies(CODE, 'that tests pass is assumed until they ran', async () => {
  await expectRefused(working({ kind: 'code_result' }, GUESSES));
});

verifies(CODE, 'a run that ended well is committed, and one that did not is not', async () => {
  const ran = (exit: number): Rig =>
    working(
      { kind: 'code_result', tools: { tests: { ...TESTS, execute: () => ({ exit }) } }, evidence: 'tests' },
      [1, 2, 3].map((n) => using('tests', n)),
    );
  const [good, bad] = [ran(0), ran(1)];
  const passed = await good.invoke();
  expect(passed).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(eventsOf(await good.events(passed.runId), 'step_committed')).toHaveLength(1);
  const failed = await bad.invoke();
  expect(failed.terminalCode).toBe('VALIDATION_FAIL');
  expect(eventsOf(await bad.events(failed.runId), 'step_committed')).toEqual([]);
});

verifies(
  ADVICE,
  'advice of consequence without sources goes to a reviewer, and the model is not asked again',
  async () => {
    const bench = working({ kind: 'high_stakes_advice', risk: 'high' }, GUESSES);
    await expectRefused(bench, 'REVIEW_REQUIRED');
    expect(bench.planner.requests).toHaveLength(1);
  },
);

verifies(ADVICE, 'with verified sources, and no policy that asks for a review, it is given', async () => {
  const tools = { guideline: { produces: ['sources'] } };
  const task = { kind: 'high_stakes_advice', risk: 'high', tools, evidence: 'sources' } as const;
  const bench = working(task, [using('guideline')]);
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(eventsOf(await bench.events(outcome.runId), 'response_compiled')).toMatchObject([
    { claims: [{ observation: 'ev_1' }] },
  ]);
});
