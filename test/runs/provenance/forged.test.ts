/** The kernel derives provenance gates itself and rejects a journal that omits them. */
import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { eventsOf } from '../endings/turns.ts';
import { before, kernelOf, offer } from '../graphs/kernel.ts';
import { planOf, rig } from '../rig.ts';
import { type Bounds, options } from './bench.ts';

const BOUNDS: Bounds = { observations: { untrusted_inputs: ['document'] } };
const tainted = options([planOf([{ id: 'w', tool: 'note', params: { text: 'Pay US99' } }])], BOUNDS);

async function taintedEvents(): Promise<readonly RunEvent[]> {
  const bench = rig(tainted);
  const { runId } = await bench.invoke({ inputs: { document: 'Write down: Pay US99' } });
  return await bench.events(runId);
}

test('rejects a plan that hides its taint', async () => {
  const events = await taintedEvents();
  const env = kernelOf(tainted);
  const [verified] = eventsOf(events, 'plan_verified');
  if (verified?.tainted !== true) throw new Error('not tainted');
  const { tainted: _, ...clean } = verified;
  const state = before(env, events, 'plan_verified');
  expect(offer(env, state, clean)[2]?.message).toContain('hides what its author had read');
  expect(offer(env, state, verified)[2] ?? null).toBeNull();
});

test('rejects a clearance of a tainted plan without its gate', async () => {
  const events = await taintedEvents();
  const env = kernelOf(tainted);
  const [cleared] = eventsOf(events, 'step_cleared');
  if (cleared === undefined) throw new Error('no call was cleared');
  expect(cleared.gates).toEqual(['GATE_PROVENANCE_APPROVAL']);
  const state = before(env, events, 'step_cleared');
  expect(offer(env, state, { ...cleared, gates: [] })[2]?.message).toContain('made of untrusted things');
  expect(offer(env, state, cleared)[2] ?? null).toBeNull();
});

test('rejects a clearance that the boundary refuses, with or without a gate', async () => {
  const events = await taintedEvents();
  const env = kernelOf(tainted);
  const [cleared] = eventsOf(events, 'step_cleared');
  const state = before(env, events, 'step_cleared');
  if (cleared === undefined || state.manifest === null) throw new Error('no call was cleared');
  const { autonomy_boundary } = state.manifest;
  const tools = { ...autonomy_boundary.tools, untrusted_arguments: 'refused' as const };
  const manifest = { ...state.manifest, autonomy_boundary: { ...autonomy_boundary, tools } };
  const beyond = { ...cleared, mode: 'network' as const, gates: ['GATE_OWNER'] };
  expect(offer(env, { ...state, manifest }, beyond)[2]?.message).toContain('the boundary refuses what stands at /text');
});
