/** Merging the rulings of several layers into one event. */
import { expect, test } from 'vitest';
import { toolSpec } from '../../../test/runs/rig.ts';
import type { PolicyDecision } from '../../model/policy/policy-decision.ts';
import { type Layer, PASS, passThrough, refusal } from '../layers/layer.ts';
import { type AuthorizationRequest, authorizeStep } from './authorize-step.ts';

const request = {
  step: { id: 'a', tool: 'pay' },
  spec: toolSpec('pay'),
  args: {},
  argsHash: 'sha256:1',
  attempt: 1,
  now: 100,
} as unknown as AuthorizationRequest;

const policy = { effect: 'permit', gates: [] } as unknown as PolicyDecision;
const from =
  (notBefore: number): Layer =>
  () => ({ ...PASS, notBefore });

test.each([
  [200, 300],
  [300, 200],
])('delays a call to the later of two layers that allow it from %d and from %d', (first, second) => {
  const cleared = authorizeStep(request, [from(first), () => PASS, from(second)]);
  expect(cleared).toMatchObject({ type: 'step_cleared', not_before: 300 });
});

test('sets no not_before on a call that may be sent now', () => {
  expect(authorizeStep(request, [from(100), () => PASS])).not.toHaveProperty('not_before');
});

test('keeps the gates of all layers', () => {
  const cleared = authorizeStep(request, [() => passThrough(['GATE_B']), () => PASS, () => passThrough(['GATE_A'])]);
  expect(new Set((cleared as { gates: readonly string[] }).gates)).toEqual(new Set(['GATE_A', 'GATE_B']));
});

test('keeps a permit in the event if a later layer refuses', () => {
  const layers: readonly Layer[] = [() => ({ ...PASS, policy }), () => refusal('budget', 'rate_limited', 'too many')];
  expect(authorizeStep(request, layers)).toMatchObject({ type: 'step_refused', layer: 'budget', policy });
});

test('keeps the policy decision in the refusal that it causes', () => {
  const layers: readonly Layer[] = [() => ({ ...refusal('permission', 'permission_denied', 'no'), policy })];
  expect(authorizeStep(request, layers)).toMatchObject({ type: 'step_refused', layer: 'permission', policy });
});

test('keeps the first policy decision if a later layer refuses with its own', () => {
  const later = { ...policy, effect: 'forbid' } as PolicyDecision;
  const no = { ...refusal('permission', 'permission_denied', 'no'), policy: later };
  expect(authorizeStep(request, [() => ({ ...PASS, policy }), () => no])).toMatchObject({
    policy: { effect: 'permit' },
  });
});

test('lists a gate once if several layers name it, in layer order', () => {
  const layers: readonly Layer[] = [['GATE_B'], ['GATE_A', 'GATE_B'], ['GATE_C', 'GATE_A']].map(
    (gates) => () => passThrough(gates),
  );
  expect(authorizeStep(request, layers)).toMatchObject({ gates: ['GATE_B', 'GATE_A', 'GATE_C'] });
});

test('keeps the first preview, grant and policy of several layers', () => {
  const granted = { by: 'usr_1', request: 'sha256:2', leaves: {} } as const;
  const layers: readonly Layer[] = [
    () => ({ ...PASS, preview: { shown: 'first' } }),
    () => ({ ...PASS, preview: { shown: 'second' }, granted, policy }),
    () => ({ ...PASS, granted: { ...granted, by: 'usr_2' }, notBefore: 300 }),
  ];
  const cleared = authorizeStep(request, layers);
  expect(cleared).toMatchObject({ preview: { shown: 'first' }, granted, policy, not_before: 300 });
  expect(Object.keys(cleared).slice(-4)).toEqual(['not_before', 'preview', 'granted', 'policy']);
});
