/** Tests that a person approves or edits the plan of a model. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { operator } from '../rig.ts';
import { of, type PlanningBench, plan, plannedStep, planningBench } from './bench.ts';

const TOOLS = { read: {}, write: {}, finish: { produces: ['done'] } };
const PROPOSED = plan(
  plannedStep('s1', 'read', { n: 1 }),
  plannedStep('s2', 'write', { n: 2 }),
  plannedStep('s3', 'finish'),
);
const GATES = { GATE_PLAN_APPROVAL: { separation: true } };

const supervised = (changes: object = {}): PlanningBench =>
  planningBench([PROPOSED], { tools: TOOLS, options: { graph: 'supervised' }, ...changes });

async function shown(bench: PlanningBench) {
  const run = await bench.invoke();
  const [gate] = run.pending;
  if (gate === undefined) throw new Error('no gate');
  const { plan: proposed } = (await bench.runtime.gates.packet(gate.packetHash)) as { readonly plan: JsonObject };
  return { run, gate, proposed, steps: proposed['steps'] as readonly JsonObject[] };
}

const by = (name: string, packetHash: string) => ({ packetHash, credential: operator(name), reason: 'so' });

test('runs an approved plan without planning again', async () => {
  const bench = supervised();
  const { gate, steps } = await shown(bench);
  expect(steps.map(({ tool }) => tool)).toEqual(['read', 'write', 'finish', 'respond']);
  expect(bench.dispatches).toEqual([]);
  const done = await bench.settle(bench.runtime.approve(gate.gateId, by('lead_1', gate.packetHash)));
  expect(done.terminalCode).toBe('SUCCESS');
  expect(bench.model.prompts).toHaveLength(1);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read', 'write', 'finish']);
});

test('runs an edited plan after a second person approves it, without planning again', async () => {
  const bench = supervised({ world: { policy: { gates: GATES } } });
  const { run, gate, proposed, steps } = await shown(bench);
  const parameters = { ...proposed, steps: steps.filter(({ tool }) => tool !== 'write') };
  const edited = await bench.settle(
    bench.runtime.gates.edit(gate.gateId, { ...by('lead_1', gate.packetHash), parameters }),
  );
  expect(edited.status).toBe('awaiting_gate');
  expect(bench.dispatches).toEqual([]);
  const [again] = edited.pending;
  if (again === undefined) throw new Error('no gate');
  expect(again.packetHash).not.toBe(gate.packetHash);
  expect(await bench.runtime.gates.packet(again.packetHash)).toMatchObject({ plan: parameters });
  // Under separation of duties, the editor cannot approve the plan.
  await expect(bench.runtime.approve(again.gateId, by('lead_1', again.packetHash))).rejects.toMatchObject({
    code: 'permission_denied',
  });
  const done = await bench.settle(bench.runtime.approve(again.gateId, by('lead_2', again.packetHash)));
  expect(done.terminalCode).toBe('SUCCESS');
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read', 'finish']);
  expect(bench.model.prompts).toHaveLength(1);
  const { state } = await bench.runtime.records.replay(run.runId);
  expect(state.planning).toMatchObject({ plansCreated: 2, active: { author: 'model', plan: parameters } });
});

test('verifies an edited plan like any plan', async () => {
  const bench = supervised();
  const { gate, proposed, steps } = await shown(bench);
  const edit = (parameters: JsonObject) =>
    bench.settle(bench.runtime.gates.edit(gate.gateId, { ...by('lead_1', gate.packetHash), parameters }));
  const invented = { ...proposed, steps: [{ id: 's1', tool: 'teleport' }] };
  await expect(edit(invented)).rejects.toMatchObject({ code: 'hallucinated_capability' });
  await expect(edit({ plan: 'do it' })).rejects.toMatchObject({ code: 'plan_untyped' });
  await expect(edit({ ...proposed, steps })).rejects.toMatchObject({ code: 'event_illegal' });
  expect(bench.dispatches).toEqual([]);
});

test('escalates the run at the third edit of a plan', async () => {
  const bench = supervised({ options: { graph: 'supervised', limits: { onEscalate: 'end' } } });
  const { run, gate, proposed, steps } = await shown(bench);
  let open = gate;
  for (const n of [11, 12]) {
    const parameters = {
      ...proposed,
      steps: steps.map((step) => (step['id'] === 's1' ? { ...step, params: { n } } : step)),
    };
    const edited = await bench.settle(
      bench.runtime.gates.edit(open.gateId, { ...by('lead_1', open.packetHash), parameters }),
    );
    const [next] = edited.pending;
    if (next === undefined) throw new Error('no gate');
    open = next;
  }
  const parameters = { ...proposed, steps: steps.slice(1) };
  const last = await bench.settle(
    bench.runtime.gates.edit(open.gateId, { ...by('lead_1', open.packetHash), parameters }),
  );
  expect(last).toMatchObject({ terminalCode: 'REVIEW_REQUIRED', reason: 'gate_unsettled' });
  expect(of(await bench.events(run.runId), 'step_attempted')).toEqual([]);
});
