import { expect, test } from 'vitest';
import type { PolicyDecision } from '../policy/policy-decision.ts';
import type { EventOf, RunEvent } from './event.ts';
import { resolveAsPlanned } from './resolve-as-planned.ts';

const decision = (determining: string): PolicyDecision => ({
  effect: 'permit',
  determining: [determining],
  reasons: [],
  gates: [],
  errors: [],
  version: 'rules@1',
  context_hash: `sha256:${'0'.repeat(64)}`,
});

const verified = (policy?: EventOf<'plan_verified'>['policy']): RunEvent => ({
  type: 'plan_verified',
  verdict: 'ok',
  plan_hash: 'sha256:1',
  problems: [],
  checks: [],
  projected: {},
  ...(policy === undefined ? {} : { policy }),
  at: 1,
});

const cleared = (step_id: string, policy?: EventOf<'step_cleared'>['policy']): RunEvent => ({
  type: 'step_cleared',
  step_id,
  args: {},
  args_hash: 'sha256:2',
  mode: 'read_only',
  gates: [],
  ...(policy === undefined ? {} : { policy }),
  at: 2,
});

const policiesOf = (...events: readonly RunEvent[]): readonly unknown[] =>
  events.map(resolveAsPlanned()).flatMap((event) => (event.type === 'step_cleared' ? [event.policy] : []));

test('resolves as_planned per step from the newest verified plan', () => {
  const [one, two, three] = [decision('one'), decision('two'), decision('three')];
  const first = verified([
    { step_id: 'a', decision: one },
    { step_id: 'b', as: 'a' },
    { step_id: 'c', decision: two },
  ]);
  const second = verified([{ step_id: 'a', decision: three }]);
  const asPlanned = ['a', 'b', 'c'].map((id) => cleared(id, 'as_planned'));
  expect(policiesOf(first, ...asPlanned)).toEqual([one, one, two]);
  expect(policiesOf(first, second, ...asPlanned)).toEqual([three, undefined, undefined]);
  expect(policiesOf(first, verified(), ...asPlanned)).toEqual([undefined, undefined, undefined]);
});

test('keeps the decision of a clearance, and adds none if there is none', () => {
  const [planned, own] = [decision('planned'), decision('own')];
  const plan = verified([{ step_id: 'a', decision: planned }]);
  expect(policiesOf(plan, cleared('a', own), cleared('a'))).toEqual([own, undefined]);
});

test('changes nothing else in an event', () => {
  const plan = verified([{ step_id: 'a', decision: decision('planned') }]);
  const { policy: _, ...rest } = cleared('a', 'as_planned') as EventOf<'step_cleared'>;
  const [same, full] = [plan, cleared('a', 'as_planned')].map(resolveAsPlanned());
  expect(same).toBe(plan);
  expect(full).toEqual({ ...rest, policy: decision('planned') });
});
