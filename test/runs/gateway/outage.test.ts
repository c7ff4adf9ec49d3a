/** A tool that keeps failing is left alone, and what the machinery forbids nobody can permit. */
import { expect, test } from 'vitest';
import { GATE_MODE_APPROVAL } from '../../../src/model/gate.ts';
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

/** What single runs have given up on is another matter. */
const ofTenant = ({ runtime }: Rig) => runtime.breakers().filter(({ runId }) => runId === undefined);

/** Runs until the breaker has seen enough; how many calls that took. */
async function untilOpen(bench: Rig): Promise<void> {
  while (ofTenant(bench).every(({ state }) => state !== 'open')) await bench.invoke();
}

test('a breaker that opened is visible, and the next run ends for want of the tool, without a call', async () => {
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

test('what the infrastructure denies is denied before anybody is asked', async () => {
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

test('its no wins over a person who said yes in the meantime, and over a port that breaks', async () => {
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

test('the one try of a broken tool is for the call that is sent, however long its person takes', async () => {
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
