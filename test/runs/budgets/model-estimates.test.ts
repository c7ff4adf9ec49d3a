/** What may still be needed counts everybody who is paid on the way: whoever judges, whoever takes over from them, whoever writes. */
import { expect, test } from 'vitest';
import type { Amounts } from '../../../src/kernel/budget-view.ts';
import { DRAFT, drafting, LETTER, READ, send, writes } from '../drafts/bench.ts';
import { eventsOf } from '../endings/turns.ts';
import { gives, type JudgeScript, judged } from '../judges/bench.ts';
import { CAPS, planOf, type Rig } from '../rig.ts';

const TOOLS = { work: {}, finish: { produces: ['done'] } };
const TWO = planOf([
  { id: 'a', tool: 'work' },
  { id: 'b', tool: 'finish', depends_on: ['a'] },
]);
const good = (count: number): JudgeScript['says'] => Array.from({ length: count }, () => gives(1));

/** One judge of this bench may take so much of a case, and as much again where somebody takes over from it. */
const JUDGE = { input_tokens: 12_000, output_tokens: 500, cost_microusd: 13_000 } as const;

const judgedTwice = (script: JudgeScript, input_tokens_max: number): Rig =>
  judged([script], { tools: TOOLS, plans: [TWO], caps: { ...CAPS, input_tokens_max } });

/** What may still be needed of models after each frame, where it changed. */
async function uppers(bench: Rig, runId: string): Promise<readonly Pick<Amounts, keyof typeof JUDGE>[]> {
  const { turns } = await bench.runtime.replay(runId);
  const seen = turns.map(({ state }) => {
    const { input_tokens, output_tokens, cost_microusd } = state.work.estimate.upper;
    return { input_tokens, output_tokens, cost_microusd };
  });
  return seen.filter((upper, at) => JSON.stringify(upper) !== JSON.stringify(seen[at - 1]));
}

const times = (count: number): typeof JUDGE =>
  Object.fromEntries(Object.entries(JUDGE).map(([name, amount]) => [name, amount * count])) as never;

test('judges of steps and of the run are in the upper bound, and leave it with what they judge', async () => {
  const bench = judgedTwice({ says: good(3), applies: { run: true } }, 100_000);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(await uppers(bench, runId)).toEqual([times(0), times(3), times(2), times(1)]);
  expect(eventsOf(await bench.events(runId), 'shortage_foreseen')).toEqual([]);
});

test('a shortage that only the judges bring about is foreseen, and stops nothing', async () => {
  const bench = judgedTwice({ says: good(3), applies: { run: true } }, 35_999);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(eventsOf(await bench.events(runId), 'shortage_foreseen')).toMatchObject([
    { dimension: 'input_tokens', needed: 36_000, left: 35_999 },
  ]);
  const exact = judgedTwice({ says: good(3), applies: { run: true } }, 36_000);
  const run = await exact.invoke();
  expect(eventsOf(await exact.events(run.runId), 'shortage_foreseen')).toEqual([]);
});

test('whoever takes over from a judge may be needed too, and whoever looks at other work is not', async () => {
  const safer = judgedTwice({ says: good(2), safer: [] }, 100_000);
  expect(await uppers(safer, (await safer.invoke()).runId)).toEqual([times(0), times(4), times(2), times(0)]);
  const other = judgedTwice({ says: good(1), applies: { run: false, tools: ['finish'] } }, 100_000);
  expect(await uppers(other, (await other.invoke()).runId)).toEqual([times(0), times(1), times(0)]);
  const risky = judgedTwice({ says: [], applies: { risk: 'high' } }, 100_000);
  expect(await uppers(risky, (await risky.invoke()).runId)).toEqual([times(0)]);
});

test('a step that is judged too low and done again may need its judges again', async () => {
  const again = judged([{ says: [gives(1, 'once more', {}), ...good(2)].map(wanting) }], {
    tools: TOOLS,
    plans: [TWO],
  });
  const { runId, terminalCode } = await again.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(await uppers(again, runId)).toEqual([times(0), times(2), times(1), times(2), times(1), times(0)]);
});

/** The first asks for the same call once more. */
function wanting(turn: JudgeScript['says'][number], at: number): JudgeScript['says'][number] {
  return { ...(turn as object), verdict: at === 0 ? 'retry' : 'accept' };
}

test('whoever writes what a plan leaves open is in the upper bound until it is written', async () => {
  const caps = { ...CAPS, input_tokens_max: 16_000 };
  const bench = drafting([writes(LETTER)], { caps });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  // Exactly enough to begin with; once it is written, that less is left is no shortage.
  expect(eventsOf(await bench.events(runId), 'shortage_foreseen')).toEqual([]);
  const bounds = (await uppers(bench, runId)).map(({ input_tokens }) => input_tokens);
  expect(bounds).toEqual([0, 16_000, 0]);
});

test('what is written and what tools may take with every retry are counted together', async () => {
  const order = { cost: { input_tokens: 100, output_tokens: 0, microusd: 0 }, retries_max: 1 };
  const plans = [planOf([READ, send({ text: DRAFT })])];
  const bench = drafting([writes(LETTER)], { plans, order, caps: { ...CAPS, input_tokens_max: 16_150 } });
  const { runId } = await bench.invoke();
  expect(eventsOf(await bench.events(runId), 'shortage_foreseen')).toMatchObject([
    { dimension: 'input_tokens', needed: 16_200, left: 16_150 },
  ]);
});
