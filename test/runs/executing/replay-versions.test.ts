/** A run is judged again by the versions that judged it, and by no newer ones. */
import { expect } from 'vitest';
import type { PolicyEngine } from '../../../src/kernel/verify/verify-context.ts';
import type { IntentSpec } from '../../../src/model/intent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { nextLife } from './lives.ts';

const goals = { check: () => ({ cleared: true, rule: null }) };
const LENIENT: PolicyEngine = { version: 'policy@1', invariants: () => [] };
const STRICT: PolicyEngine = {
  version: 'policy@2',
  invariants: () => [{ invariant: 'nothing_at_all', message: 'nothing is permitted any more' }],
};

const under = (plans: PolicyEngine, risk: IntentSpec['risk'] = 'low'): RigOptions => ({
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 's1', tool: 'finish' }])],
  agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk })) }),
  world: { policy: { goals, plans } },
});

verifies('replay:input:versions', 'the recorded policy is used, and a newer one never silently', async () => {
  const first = rig(under(LENIENT));
  const { runId, verdict } = await first.invoke();
  expect(verdict?.verdict).toBe('accept');
  // The new policy would have refused this very plan.
  const now = rig(under(STRICT));
  expect((await now.invoke()).verdict).toBeNull();

  const pinned = nextLife(first, under(LENIENT));
  expect((await pinned.runtime.replay(runId)).state.ending.verdict).toBe('accept');
  const newer = nextLife(first, under(STRICT));
  await expect(newer.runtime.replay(runId)).rejects.toMatchObject({
    code: 'replay_input_missing',
    message: expect.stringContaining('policy@1'),
  });
});

verifies('replay:input:versions', 'other evaluators are not used either, even where they would agree', async () => {
  const first = rig(under(LENIENT));
  const { runId } = await first.invoke();
  const stricter = nextLife(first, under(LENIENT, 'high'));
  await expect(stricter.runtime.replay(runId)).rejects.toMatchObject({
    code: 'replay_input_missing',
    message: expect.stringContaining('lenient@1'),
  });
});
