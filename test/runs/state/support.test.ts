/** A step may be justified only by a fresh, verified observation. */
import { expect } from 'vitest';
import type { Plan, PlanStep } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { planOf, type Rig, rig, START_MS } from '../rig.ts';

const ID = 'state:contamination:stale-or-discarded-source-refused';

/** Decides one step at a time, so that a later plan can depend on an earlier observation. */
const STEPWISE = { limits: { planning: 'stepwise' }, graph: 'reactive' } as const;

const singleStepPlan = (step: PlanStep, changes: Partial<Plan> = {}): Plan =>
  planOf([step], { plan_id: `plan_${step.id}`, ...changes });

/** Looks up one key twice, the second time after a failure, then runs a step justified by `because`. */
async function runJustifiedBy(...because: readonly string[]): Promise<{ readonly bench: Rig; readonly runId: string }> {
  let calls = 0;
  const assumed = { id: 'assumed_1', statement: 'It is open.', step: 'again', path: '/open', equals: true };
  const bench: Rig = rig({
    tools: {
      look: { execute: () => ({ open: true, seen: 1 }) },
      look_again: {
        execute: () => {
          calls += 1;
          if (calls === 1) throw new Error('not now');
          return { open: true, seen: 2 };
        },
      },
      finish: { produces: ['done'] },
    },
    plans: [
      singleStepPlan({ id: 'look', tool: 'look', context_key: 'order' }),
      singleStepPlan({ id: 'again', tool: 'look_again', context_key: 'order' }, { assumptions: [assumed] }),
      singleStepPlan({ id: 'end', tool: 'finish', because }),
      singleStepPlan({ id: 'end', tool: 'finish' }),
    ],
    options: STEPWISE,
  });
  const { runId } = await bench.invoke();
  return { bench, runId };
}

const kinds: readonly (readonly [string, string, string])[] = [
  ['a stale observation', 'ev_1', 'stale'],
  ['a discarded note', 'note_0_0_1', 'discarded'],
  ['an unverified assumption', 'assumed_1', 'assumed'],
  ['a failed attempt', 'call_2', 'failed'],
];

for (const [what, reference, kind] of kinds) {
  verifies(ID, `${what} justifies no step`, async () => {
    const { bench, runId } = await runJustifiedBy(reference);
    const refused = eventsOf(await bench.events(runId), 'plan_verified').find(({ verdict }) => verdict === 'replan');
    expect(refused?.problems).toMatchObject([{ code: 'contaminated_support', detail: { reference, kind } }]);
    expect(bench.planner.requests.at(-1)?.reason?.code).toBe('contaminated_support');
  });
}

verifies(ID, 'a fresh verified observation justifies a step', async () => {
  const { bench, runId } = await runJustifiedBy('ev_2');
  const verdicts = eventsOf(await bench.events(runId), 'plan_verified').map(({ verdict }) => verdict);
  expect(verdicts).toEqual(['ok', 'ok', 'ok']);
});

const bound = (from: string): PlanStep => ({
  id: 'end',
  tool: 'finish',
  params: { seen: { $from: from, path: '/seen' } },
});

verifies(
  'pathology:stale-state:timestamp-lag',
  'blocks a step that depends on an outdated value until it is looked up again',
  async () => {
    let seen = 0;
    const look = {
      execute: () => ({ seen: ++seen }),
      output_schema: { type: 'object', properties: { seen: {} }, required: ['seen'] },
    };
    const old = { id: 'old', tool: 'look', context_key: 'order' };
    const plans = [
      singleStepPlan(old),
      singleStepPlan({ id: 'new', tool: 'look', context_key: 'order', params: { again: true } }),
      singleStepPlan(bound('old')),
      // The same step is executed again instead of reusing the outdated result.
      singleStepPlan(old),
      singleStepPlan(bound('old')),
    ];
    const bench = rig({ tools: { look, finish: { produces: ['done'] } }, plans, options: STEPWISE });
    const outcome = await bench.invoke();
    expect(outcome.terminalCode).toBe('SUCCESS');
    const refused = eventsOf(await bench.events(outcome.runId), 'plan_verified').find(
      ({ verdict }) => verdict === 'replan',
    );
    expect(refused?.problems).toMatchObject([
      { code: 'contaminated_support', detail: { reference: 'old', kind: 'stale' } },
    ]);
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look', 'look', 'look', 'finish']);
    expect(bench.dispatches.at(-1)?.args).toEqual({ seen: 3 });
    await bench.runtime.records.replay(outcome.runId);
  },
);

verifies(
  'pathology:stale-state:timestamp-lag',
  'rejects an expired context item, and one that was looked up since, as support',
  async () => {
    const item = (key: string, type: string, fresh_until: number) => ({
      key,
      type,
      value: 1,
      source_id: 'crm',
      permission_scope: 'all',
      observed_at: START_MS,
      fresh_until,
      trusted: true,
      authority: 1,
      personal_data: false,
    });
    const context = {
      context_id: 'context_1',
      pack_pin: 'ctxpack.bench@1.0.0',
      snapshot_pin: 'kg_1',
      items: [item('told_order', 'order', START_MS + 1_000_000), item('short', 'hint', START_MS + 10)],
      compiled_at: START_MS,
      memory_snapshot: null,
    };
    const bench: Rig = rig({
      tools: {
        look: {
          produces: ['order'],
          execute: () => {
            bench.clock.advanceTo(START_MS + 100);
            return {};
          },
        },
        finish: { produces: ['done'] },
      },
      plans: [
        planOf([{ id: 'look', tool: 'look', because: ['told_order', 'short'] }]),
        planOf([{ id: 'end', tool: 'finish', because: ['told_order', 'short', 'ev_1'] }], { plan_id: 'plan_2' }),
        planOf([{ id: 'end', tool: 'finish' }], { plan_id: 'plan_3' }),
      ],
      world: { context },
    });
    const { runId } = await bench.invoke();
    const [first, second] = eventsOf(await bench.events(runId), 'plan_verified');
    expect(first?.verdict).toBe('ok');
    expect(second?.problems.map(({ detail }) => detail)).toMatchObject([
      { reference: 'told_order', kind: 'stale' },
      { reference: 'short', kind: 'stale' },
    ]);
  },
);
