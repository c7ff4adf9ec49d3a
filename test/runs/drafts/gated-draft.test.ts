/** Tests that a person sees text that was drafted after the approval of its plan, before it leaves the run. */
import { expect, test } from 'vitest';
import { operator, planOf } from '../rig.ts';
import { COPIED, DRAFT, type DraftOptions, type DraftRig, draftAnswer, draftRig, LETTER, READ, send } from './bench.ts';

const supervised = (options: DraftOptions = {}): DraftRig =>
  draftRig([draftAnswer(LETTER)], { ...options, options: { graph: 'supervised' } });

const approve = (bench: DraftRig, { gateId, packetHash }: { gateId: string; packetHash: string }) =>
  bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('lead'), reason: 'fine' }));

const sent = ({ dispatches }: DraftRig): number => dispatches.filter(({ tool }) => tool === 'send').length;

test('the plan packet names each draft and the gate that will show it', async () => {
  const bench = supervised();
  const { pending } = await bench.invoke();
  const packet = await bench.runtime.gates.packet(pending[0]?.packetHash ?? '');
  expect(packet['gate']).toBe('GATE_PLAN_APPROVAL');
  expect(packet['drafts']).toEqual([{ step_id: 's', pointer: '/text', instruction: DRAFT.$draft }]);
  expect(packet['dry_run']).toMatchObject({ calls: [{ gates: [] }, { gates: ['GATE_DRAFT_APPROVAL'] }], approvals: 1 });
});

test('drafted text waits for a person after the approval of its plan', async () => {
  const bench = supervised();
  const { runId, pending } = await bench.invoke();
  if (pending[0] === undefined) throw new Error('no plan gate');
  const waiting = await approve(bench, pending[0]);
  expect(sent(bench)).toBe(0);
  const [gate] = waiting.pending;
  if (gate === undefined) throw new Error('no gate for the draft');
  expect(gate.name).toBe('GATE_DRAFT_APPROVAL');
  const packet = await bench.runtime.gates.packet(gate.packetHash);
  expect(packet['parameters']).toMatchObject({ text: LETTER });
  const done = await approve(bench, gate);
  expect(done.terminalCode).toBe('SUCCESS');
  expect(sent(bench)).toBe(1);
  await bench.runtime.records.replay(runId);
});

test('drafted text that another tool has copied waits for a person too', async () => {
  const bench = supervised({ plans: [planOf(COPIED)] });
  const { runId, pending } = await bench.invoke();
  const [plan] = pending;
  if (plan === undefined) throw new Error('no plan gate');
  const packet = await bench.runtime.gates.packet(plan.packetHash);
  expect(packet['dry_run']).toMatchObject({ calls: [{}, { gates: [] }, { gates: ['GATE_DRAFT_APPROVAL'] }] });
  const [gate] = (await approve(bench, plan)).pending;
  expect(gate?.name).toBe('GATE_DRAFT_APPROVAL');
  expect(sent(bench)).toBe(0);
  if (gate === undefined) return;
  expect((await bench.runtime.gates.packet(gate.packetHash))['parameters']).toMatchObject({ text: LETTER });
  expect((await approve(bench, gate)).terminalCode).toBe('SUCCESS');
  await bench.runtime.records.replay(runId);
});

test('drafted text that a tool receives as an input waits for a person too', async () => {
  const format = { id: 'f', tool: 'format', params: { text: DRAFT }, depends_on: ['o'], context_key: 'letter' };
  const mail = send({ text: 'See the letter.' }, { depends_on: ['o', 'f'], inputs: ['letter'] });
  const bench = supervised({ plans: [planOf([READ, format, mail])] });
  const [plan] = (await bench.invoke()).pending;
  if (plan === undefined) throw new Error('no plan gate');
  const packet = await bench.runtime.gates.packet(plan.packetHash);
  expect(packet['dry_run']).toMatchObject({ calls: [{}, { gates: [] }, { gates: ['GATE_DRAFT_APPROVAL'] }] });
  const [gate] = (await approve(bench, plan)).pending;
  expect(gate?.name).toBe('GATE_DRAFT_APPROVAL');
  expect(sent(bench)).toBe(0);
  expect(JSON.stringify(await bench.runtime.gates.packet(gate?.packetHash ?? ''))).toContain(LETTER);
});

test('a refusal of the drafted text sends nothing', async () => {
  const bench = supervised();
  const { pending } = await bench.invoke();
  if (pending[0] === undefined) throw new Error('no plan gate');
  const [gate] = (await approve(bench, pending[0])).pending;
  const no = { packetHash: gate?.packetHash ?? '', credential: operator('lead'), reason: 'wrong tone' };
  const ended = await bench.settle(bench.runtime.gates.reject(gate?.gateId ?? '', no));
  expect(ended.terminalCode).toBe('PERMISSION_DENIED');
  expect(sent(bench)).toBe(0);
});

test('a call with a gate of its own shows the draft there and opens no second gate', async () => {
  const bench = supervised({
    plans: [planOf([READ, send({ text: DRAFT }, { requires: ['GATE_MODE_APPROVAL'] })])],
    send: { approval_mode: 'destructive', gates: ['GATE_MODE_APPROVAL'] },
  });
  const { pending } = await bench.invoke();
  if (pending[0] === undefined) throw new Error('no plan gate');
  const waiting = await approve(bench, pending[0]);
  expect(waiting.pending.map(({ name }) => name)).toEqual(['GATE_MODE_APPROVAL']);
});

test('a plan that no person approved opens no gate for a draft', async () => {
  const bench = draftRig([draftAnswer(LETTER)]);
  expect((await bench.invoke()).terminalCode).toBe('SUCCESS');
});
