/** The upper bound includes model roles that a step may need: judges, their fallback models and drafters. */
import { expect, test } from 'vitest';
import type { Amounts } from '../../../src/kernel/budget/view.ts';
import { DRAFT, draftAnswer, draftRig, LETTER, READ, send } from '../drafts/bench.ts';
import { eventsOf } from '../endings/turns.ts';
import { type JudgeScript, judgeAnswer, judgedRig } from '../judges/bench.ts';
import { CAPS, planOf, type Rig } from '../rig.ts';

const TOOLS = { work: {}, finish: { produces: ['done'] } };
const TWO = planOf([
  { id: 'a', tool: 'work' },
  { id: 'b', tool: 'finish', depends_on: ['a'] },
]);
const goodAnswers = (count: number): JudgeScript['says'] => Array.from({ length: count }, () => judgeAnswer(1));

/** The most one judge of this bench may spend on a case. A safer fallback model may spend the same again. */
const JUDGE = { input_tokens: 12_000, output_tokens: 500, cost_microusd: 13_000 } as const;

const judgedTwice = (script: JudgeScript, input_tokens_max: number): Rig =>
  judgedRig([script], { tools: TOOLS, plans: [TWO], caps: { ...CAPS, input_tokens_max } });

/** The upper bounds for model usage, one entry per change. */
async function upperBounds(bench: Rig, runId: string): Promise<readonly Pick<Amounts, keyof typeof JUDGE>[]> {
  const { turns } = await bench.runtime.records.replay(runId);
  const seen = turns.map(({ state }) => {
    const { input_tokens, output_tokens, cost_microusd } = state.work.estimate.upper;
    return { input_tokens, output_tokens, cost_microusd };
  });
  return seen.filter((upper, at) => JSON.stringify(upper) !== JSON.stringify(seen[at - 1]));
}

const judgeCosts = (count: number): typeof JUDGE =>
  Object.fromEntries(Object.entries(JUDGE).map(([name, amount]) => [name, amount * count])) as never;

test('the upper bound includes judges of steps and of the run until they have judged', async () => {
  const bench = judgedTwice({ says: goodAnswers(3), applies: { run: true } }, 100_000);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(await upperBounds(bench, runId)).toEqual([judgeCosts(0), judgeCosts(3), judgeCosts(2), judgeCosts(1)]);
  expect(eventsOf(await bench.events(runId), 'shortage_foreseen')).toEqual([]);
});

test('warns of a shortage caused by judges alone, and does not stop', async () => {
  const bench = judgedTwice({ says: goodAnswers(3), applies: { run: true } }, 35_999);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(eventsOf(await bench.events(runId), 'shortage_foreseen')).toMatchObject([
    { dimension: 'input_tokens', needed: 36_000, left: 35_999 },
  ]);
  const exact = judgedTwice({ says: goodAnswers(3), applies: { run: true } }, 36_000);
  const run = await exact.invoke();
  expect(eventsOf(await exact.events(run.runId), 'shortage_foreseen')).toEqual([]);
});

test("the upper bound includes a judge's fallback model, and excludes judges of other tools or risks", async () => {
  const safer = judgedTwice({ says: goodAnswers(2), safer: [] }, 100_000);
  expect(await upperBounds(safer, (await safer.invoke()).runId)).toEqual([
    judgeCosts(0),
    judgeCosts(4),
    judgeCosts(2),
    judgeCosts(0),
  ]);
  const other = judgedTwice({ says: goodAnswers(1), applies: { run: false, tools: ['finish'] } }, 100_000);
  expect(await upperBounds(other, (await other.invoke()).runId)).toEqual([judgeCosts(0), judgeCosts(1), judgeCosts(0)]);
  const risky = judgedTwice({ says: [], applies: { risk: 'high' } }, 100_000);
  expect(await upperBounds(risky, (await risky.invoke()).runId)).toEqual([judgeCosts(0)]);
});

test('a step that is retried after a low verdict may need its judges again', async () => {
  const again = judgedRig([{ says: [judgeAnswer(1, 'once more', {}), ...goodAnswers(2)].map(withVerdict) }], {
    tools: TOOLS,
    plans: [TWO],
  });
  const { runId, terminalCode } = await again.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(await upperBounds(again, runId)).toEqual([
    judgeCosts(0),
    judgeCosts(2),
    judgeCosts(1),
    judgeCosts(2),
    judgeCosts(1),
    judgeCosts(0),
  ]);
});

/** The first verdict asks for the same call again. */
function withVerdict(turn: JudgeScript['says'][number], at: number): JudgeScript['says'][number] {
  return { ...(turn as object), verdict: at === 0 ? 'retry' : 'accept' };
}

test('the upper bound includes a drafter until its text is written', async () => {
  const caps = { ...CAPS, input_tokens_max: 16_000 };
  const bench = draftRig([draftAnswer(LETTER)], { caps });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  // The budget is exactly enough at first. After the draft, a smaller rest is no shortage.
  expect(eventsOf(await bench.events(runId), 'shortage_foreseen')).toEqual([]);
  const bounds = (await upperBounds(bench, runId)).map(({ input_tokens }) => input_tokens);
  expect(bounds).toEqual([0, 16_000, 0]);
});

test('adds up drafts and the cost of tools with every retry', async () => {
  const order = { cost: { input_tokens: 100, output_tokens: 0, microusd: 0 }, retries_max: 1 };
  const plans = [planOf([READ, send({ text: DRAFT })])];
  const bench = draftRig([draftAnswer(LETTER)], { plans, order, caps: { ...CAPS, input_tokens_max: 16_150 } });
  const { runId } = await bench.invoke();
  expect(eventsOf(await bench.events(runId), 'shortage_foreseen')).toMatchObject([
    { dimension: 'input_tokens', needed: 16_200, left: 16_150 },
  ]);
});
