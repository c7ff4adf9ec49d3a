/** Tests that a grant covers only the packet that was shown and is used once. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { KernelEnv } from '../../../src/kernel/env.ts';
import { grantBinding, missingGates, useGrants } from '../../../src/kernel/query/gate/grants.ts';
import type { Grant } from '../../../src/kernel/state/people-state.ts';
import type { Fact, RunState } from '../../../src/kernel/state/run-state.ts';
import { vecGet, vecSet } from '../../../src/kernel/state/vec.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { kernelOf } from '../graphs/kernel.ts';
import { planOf } from '../rig.ts';

const TOOLS = {
  look: { produces: ['account'] },
  pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE'], produces: ['done'] },
} as const;

const env: KernelEnv = kernelOf({ tools: TOOLS });

function waiting(): Turns {
  const run = turns({ tools: TOOLS });
  run.say(
    proposed(
      planOf([
        { id: 'a', tool: 'look' },
        { id: 'b', tool: 'pay', depends_on: ['a'], params: { amount: 1 }, requires: ['GATE'] },
      ]),
    ),
  );
  run.say(answered(run, { raw: { balance: 1 } }));
  return run;
}

const run = waiting();
const bound = grantBinding(env, run.state);
const fitting: Grant = {
  grantId: 'gate_1',
  gate: 'GATE',
  kind: 'action',
  stepId: 'b',
  packetHash: 'sha256:x',
  ...bound,
  approver: 'ana',
  expiresAt: Number.MAX_SAFE_INTEGER,
  usedBy: null,
};
const holding = (...grants: readonly Grant[]): RunState => ({ ...run.state, people: { ...run.state.people, grants } });
const isMissing = (state: RunState, key = 'key_1'): boolean => missingGates(env, state, ['GATE'], key).length === 1;

describe('a grant', () => {
  test('opens its own gate and no other', () => {
    expect(isMissing(holding(fitting))).toBe(false);
    expect(missingGates(env, holding(fitting), ['GATE', 'OTHER'], 'key_1')).toEqual(['OTHER']);
  });

  test.prop([
    fc.constantFrom<keyof Grant>('gate', 'kind', 'stepId', 'argsHash', 'planHash', 'evidenceHash'),
    fc.string(),
  ])('never covers a call that differs in any bound field', (field, other) => {
    fc.pre(other !== fitting[field]);
    expect(isMissing(holding({ ...fitting, [field]: other } as Grant))).toBe(true);
  });

  test.prop([fc.string({ minLength: 1 }), fc.string({ minLength: 1 })])(
    'covers the key of its first intent and is never used twice',
    (first, second) => {
      fc.pre(first !== second);
      const used = useGrants(env, holding(fitting), first);
      expect(used.people.grants).toMatchObject([{ usedBy: first }]);
      expect(isMissing(used, first)).toBe(false);
      expect(isMissing(used, second)).toBe(true);
      expect(useGrants(env, used, second).people.grants).toMatchObject([{ usedBy: first }]);
    },
  );

  test('is stale once the evidence of its step has changed', () => {
    const state = holding(fitting);
    const before = vecGet(state.work.progress, 0);
    if (before === undefined) throw new Error('nothing is done');
    const fact: Fact = { ...(before.fact as Fact), value: { balance: 2 } };
    const progress = vecSet(state.work.progress, 0, { ...before, fact });
    expect(isMissing({ ...state, work: { ...state.work, progress } })).toBe(true);
  });
});
