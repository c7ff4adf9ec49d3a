/** Tests that a failing tool opens its breaker, and that a denial of the infrastructure outweighs every approval. */
import { expect, test } from 'vitest';
import { GATE_MODE_APPROVAL } from '../../../src/model/gate/gate.ts';
import { CAPS, operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const FAILING: RigOptions = {
  tools: {
    down: {
      retries_max: 0,
      execute: () => {
        throw new Error('connection refused');
      },
    },
  },
  plans: Array.from({ length: 20 }, (_, n) => planOf([{ id: 's1', tool: 'down', params: { n } }])),
};

/** Breakers of the tenant, without those of single runs. */
const ofTenant = ({ runtime }: Rig) => runtime.agents.breakers().filter(({ runId }) => runId === undefined);

/** Starts runs until the breaker opens. */
async function untilOpen(bench: Rig): Promise<void> {
  while (ofTenant(bench).every(({ state }) => state !== 'open')) await bench.invoke();
}

test('lists an open breaker, and ends the next run with UNAVAILABLE_DEP without a call', async () => {
  const bench = rig(FAILING);
  await untilOpen(bench);
  expect(ofTenant(bench)).toMatchObject([{ tool: 'down', tenantId: 'tenant_a', state: 'open' }]);
  const sent = bench.dispatches.length;
  const ended = await bench.invoke();
  expect(ended.terminalCode).toBe('UNAVAILABLE_DEP');
  expect(bench.dispatches).toHaveLength(sent);
});

const SWEEP: RigOptions = {
  tools: { sweep: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'], produces: ['done'] } },
  plans: [planOf([{ id: 's1', tool: 'sweep', params: { host: 'db.internal' }, requires: ['GATE_OWNER'] }])],
};

test('a denial of the infrastructure ends the run before a gate opens', async () => {
  const bench = rig({
    ...SWEEP,
    world: { infrastructure: { permits: () => ({ ok: false, reason: 'db.internal is not on the egress list' }) } },
  });
  const ended = await bench.invoke();
  expect(ended).toMatchObject({ terminalCode: 'PERMISSION_DENIED', pending: [] });
  expect((await bench.events(ended.runId)).find(({ type }) => type === 'step_refused')).toMatchObject({
    layer: 'infrastructure',
    code: 'infrastructure_denied',
    message: 'db.internal is not on the egress list',
  });
  expect(bench.dispatches).toEqual([]);
});

test('an infrastructure port that throws after the approval denies the call', async () => {
  let asked = 0;
  const bench = rig({
    ...SWEEP,
    world: {
      infrastructure: {
        permits: () => {
          asked += 1;
          if (asked > 2) throw new Error('the sandbox is gone');
          return { ok: true };
        },
      },
    },
  });
  const waiting = await bench.invoke();
  const { gateId, packetHash } = waiting.pending[0] ?? { gateId: '', packetHash: '' };
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'fine' }));
  expect(asked).toBe(3);
  expect(bench.dispatches).toEqual([]);
  const seen = (await bench.events(waiting.runId)).find(({ type }) => type === 'step_observed');
  expect(seen).toMatchObject({ outcome: 'denied', detail: expect.stringContaining('the sandbox is gone') });
});

test('keeps the trial call of a half-open breaker for the call that is sent, even if its approval takes long', async () => {
  let down = true;
  const failing = Array.from({ length: 10 }, (_, n) => planOf([{ id: 's1', tool: 'sweep', params: { n } }]));
  const bench = rig({
    tools: {
      sweep: {
        retries_max: 0,
        produces: ['done'],
        execute: () => {
          if (down) throw new Error('connection refused');
          return { swept: true };
        },
      },
    },
    caps: { ...CAPS, replan_attempts_max: 0 },
    plans: [...failing, planOf([{ id: 's1', tool: 'sweep', requires: [GATE_MODE_APPROVAL] }])],
  });
  for (const _ of failing) await bench.invoke();
  expect(ofTenant(bench)).toMatchObject([{ state: 'open' }]);
  down = false;
  bench.clock.advanceTo(bench.clock.nowMs() + 60_000);
  const waiting = await bench.invoke();
  const { gateId, packetHash } = waiting.pending[0] ?? { gateId: '', packetHash: '' };
  const approved = { packetHash, credential: operator('lead_1'), reason: 'fine' };
  const done = await bench.settle(bench.runtime.approve(gateId, approved));
  expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(ofTenant(bench)).toEqual([]);
});
