/** What several layers say of one call is all of it on record, whichever of them said it. */
import { expect, test } from 'vitest';
import { toolSpec } from '../../test/runs/rig.ts';
import type { PolicyDecision } from '../model/policy-decision.ts';
import { type ClearRequest, clearStep } from './clear-step.ts';
import { type Layer, PASS, passThrough, refusal } from './layers/layer.ts';

const request = {
  step: { id: 'a', tool: 'pay' },
  spec: toolSpec('pay'),
  args: {},
  argsHash: 'sha256:1',
  attempt: 1,
  now: 100,
} as unknown as ClearRequest;

const policy = { effect: 'permit', gates: [] } as unknown as PolicyDecision;
const from =
  (notBefore: number): Layer =>
  () => ({ ...PASS, notBefore });

test.each([
  [200, 300],
  [300, 200],
])('a call that one layer lets pass from %d and another from %d waits for both', (first, second) => {
  const cleared = clearStep(request, [from(first), () => PASS, from(second)]);
  expect(cleared).toMatchObject({ type: 'step_cleared', not_before: 300 });
});

test('a call that may be sent by now has nothing to wait for', () => {
  expect(clearStep(request, [from(100), () => PASS])).not.toHaveProperty('not_before');
});

test('the gates of all layers stand', () => {
  const cleared = clearStep(request, [() => passThrough(['GATE_B']), () => PASS, () => passThrough(['GATE_A'])]);
  expect(new Set((cleared as { gates: readonly string[] }).gates)).toEqual(new Set(['GATE_A', 'GATE_B']));
});

test('what the policies had permitted is told where a later layer refuses', () => {
  const layers: readonly Layer[] = [() => ({ ...PASS, policy }), () => refusal('budget', 'rate_limited', 'too many')];
  expect(clearStep(request, layers)).toMatchObject({ type: 'step_refused', layer: 'budget', policy });
});

test('what the policies forbid is told with their refusal', () => {
  const layers: readonly Layer[] = [() => ({ ...refusal('permission', 'permission_denied', 'no'), policy })];
  expect(clearStep(request, layers)).toMatchObject({ type: 'step_refused', layer: 'permission', policy });
});

test('what was decided first is told where a later layer refuses with a decision of its own', () => {
  const later = { ...policy, effect: 'forbid' } as PolicyDecision;
  const no = { ...refusal('permission', 'permission_denied', 'no'), policy: later };
  expect(clearStep(request, [() => ({ ...PASS, policy }), () => no])).toMatchObject({ policy: { effect: 'permit' } });
});

test('a gate that several layers name is named once, in the order in which they were asked', () => {
  const layers: readonly Layer[] = [['GATE_B'], ['GATE_A', 'GATE_B'], ['GATE_C', 'GATE_A']].map(
    (gates) => () => passThrough(gates),
  );
  expect(clearStep(request, layers)).toMatchObject({ gates: ['GATE_B', 'GATE_A', 'GATE_C'] });
});

test('of what several layers have found, the first of its kind is told', () => {
  const granted = { by: 'usr_1', request: 'sha256:2', leaves: {} } as const;
  const layers: readonly Layer[] = [
    () => ({ ...PASS, preview: { shown: 'first' } }),
    () => ({ ...PASS, preview: { shown: 'second' }, granted, policy }),
    () => ({ ...PASS, granted: { ...granted, by: 'usr_2' }, notBefore: 300 }),
  ];
  const cleared = clearStep(request, layers);
  expect(cleared).toMatchObject({ preview: { shown: 'first' }, granted, policy, not_before: 300 });
  expect(Object.keys(cleared).slice(-4)).toEqual(['not_before', 'preview', 'granted', 'policy']);
});
