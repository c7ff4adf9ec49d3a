/** Tests that answers too large for the journal cannot return from a lane, and that the planner learns why. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { CAPS, planOf, type Rig, type RigTool, rig } from '../rig.ts';

const SCROLL = 'z'.repeat(1_500_000);
const TEXT: JsonObject = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

const fetching = (produces: string, output_schema: JsonObject): RigTool => ({
  produces: [produces],
  output_schema,
  retries_max: 0,
  execute: () => ({ text: SCROLL }),
});

/** Two large answers and a report on both; with `waits`, the second is fetched after the first. */
const plan = (waits: boolean): Plan =>
  planOf([
    { id: 'a', tool: 'north' },
    { id: 'b', tool: 'south', ...(waits ? { depends_on: ['a'] } : {}) },
    { id: 'c', tool: 'report', depends_on: ['a', 'b'] },
  ]);

async function reported(schema: JsonObject, plans: readonly Plan[]): Promise<{ bench: Rig; run: RunOutcome }> {
  const bench = rig({
    tools: { north: fetching('n', schema), south: fetching('s', schema), report: { produces: ['done'] } },
    plans,
    caps: { ...CAPS, lanes_max: 10, replan_attempts_max: plans.length - 1 },
    options: { limits: { parallelSteps: 2, onEscalate: 'end' } },
  });
  return { bench, run: await bench.invoke() };
}

const WHY = 'the answer under result is too large to come back from a lane';

test('fails the step for the size of its answer, not for a missing field', async () => {
  const { bench, run } = await reported(TEXT, [plan(false)]);
  expect(run.terminalCode).not.toBe('SUCCESS');
  const lanes = run.record?.lanes ?? [];
  expect(lanes.map(({ ruling }) => ruling)).toContain('rejected');
  expect(lanes[0]?.reason).toContain(WHY);
  expect(JSON.stringify(run)).not.toContain('/text is missing');
  await bench.runtime.records.replay(run.runId);
});

test('succeeds with a plan that runs the steps in sequence, and the planner gets this hint', async () => {
  const { bench, run } = await reported(TEXT, [plan(false), { ...plan(true), plan_id: 'plan_2' }]);
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(JSON.stringify(bench.planner.requests.map(({ reason }) => reason))).toContain(
    `${WHY}: have the step wait for another`,
  );
});

test('accepts the blob address as the answer if the output schema permits it', async () => {
  const { run } = await reported({ type: 'object' }, [plan(false)]);
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
});
