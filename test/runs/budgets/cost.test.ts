/** The cost of a run: metered amounts times the prices of the host, the same in outcome, record and trace. */
import { expect, test } from 'vitest';
import type { UnitPrices } from '../../../src/model/budget/run-cost.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, neverAnswers, operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const PRICES: UnitPrices = {
  input_token: 0.0000025,
  output_token: 0.00001,
  tool_call: 0.001,
  external_api_call: 0.02,
  gpu_second: 0.0007,
  review_unit: 1.5,
};

/** A run that asks a planner with a cost, computes on a GPU, calls another system and waits for a person. */
const PRICED: RigOptions = {
  tools: {
    compute: {
      execute: (_, { reportGpuMs }) => {
        reportGpuMs(12_000);
        reportGpuMs(500);
        return { ok: true };
      },
    },
    pay: { approval_mode: 'destructive', side_effect: true, external: true, gates: ['GATE_PAY'], produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 's1', tool: 'compute' },
      { id: 's2', tool: 'pay', requires: ['GATE_PAY'] },
    ]),
  ],
  spent: { input_tokens: 120_000, output_tokens: 3_001, microusd: 250_000 },
  caps: { ...CAPS, input_tokens_max: 200_000 },
};

const withPrices = (options: RigOptions, prices: UnitPrices): Rig => rig({ ...options, world: { policy: { prices } } });

async function approved(bench: Rig): Promise<RunOutcome> {
  const waiting = await bench.invoke();
  const [gate] = waiting.pending;
  if (gate === undefined) throw new Error('the run does not wait at a gate');
  const { gateId, packetHash } = gate;
  return await bench.settle(
    bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'checked' }),
  );
}

verifies(
  'budget:scalar:six-term-cost-formula',
  'sums the six metered amounts of a run times their prices, in outcome, record and trace',
  async () => {
    const bench = withPrices(PRICED, PRICES);
    const done = await approved(bench);
    expect(done.terminalCode).toBe('SUCCESS');
    expect(done.cost.terms.map(({ unit, amount, usd }) => [unit, amount, usd])).toEqual([
      ['input_token', 120_000, 0.3],
      ['output_token', 3_001, 0.03001],
      ['tool_call', 2, 0.002],
      ['external_api_call', 1, 0.02],
      ['gpu_second', 12.5, 0.00875],
      ['review_unit', 1, 1.5],
    ]);
    expect(done.cost.usd).toBe(1.86076);
    expect(done.usage).toMatchObject({ gpuMs: 12_500, humanReviews: 1 });
    expect(done.record?.cost).toEqual(done.cost);
    const { budget_vector } = await bench.runtime.records.trace(done.runId);
    expect(budget_vector.cost).toEqual(done.cost);
    expect(Object.keys(budget_vector.caps ?? {}).filter((cap) => /gpu|review/.test(cap))).toEqual([]);
    await bench.runtime.records.replay(done.runId);
  },
);

test('without prices of tokens, the cost is the money that models and tools reported', async () => {
  const done = await approved(rig(PRICED));
  expect(done.cost).toMatchObject({ usd: 0.25 });
  expect(done.cost.terms.at(-1)).toEqual({ unit: 'metered_usd', amount: 0.25, price_usd: 1, usd: 0.25 });
});

test('every run has a cost, also if it was refused before it had a budget', async () => {
  const bench = withPrices(PRICED, PRICES);
  const refused = await bench.invoke({ identity: { ...denied, expires_at: 1 } });
  expect(refused.terminalCode).not.toBe('SUCCESS');
  expect(refused.cost.usd).toBe(0);
  const { budget_vector } = await bench.runtime.records.trace(refused.runId);
  expect(budget_vector).toMatchObject({ caps: null, cost: { usd: 0 } });
});

const denied = { actor: 'agt_worker', tenant_id: 'tenant_a', roles: ['worker'], scopes: ['all'] };

test('the GPU time of a call counts although the call failed or timed out', async () => {
  const bench = rig({
    tools: {
      fail: {
        retries_max: 0,
        execute: (_, { reportGpuMs }) => {
          reportGpuMs(1_000);
          throw new Error('out of memory');
        },
      },
      hang: {
        retries_max: 0,
        execute: (args, context) => {
          context.reportGpuMs(2_000);
          return neverAnswers(args, context);
        },
      },
    },
    plans: [planOf([{ id: 's1', tool: 'fail' }]), planOf([{ id: 's1', tool: 'hang' }])],
  });
  expect((await bench.invoke()).usage.gpuMs).toBe(3_000);
});

test.each([-1, Number.NaN])('a tool that reports %s ms of GPU time fails', async (ms) => {
  const execute: NonNullable<NonNullable<RigOptions['tools']>[string]['execute']> = (_, { reportGpuMs }) => {
    reportGpuMs(ms);
    return { ok: true };
  };
  const bench = rig({
    tools: { compute: { retries_max: 0, execute } },
    plans: [planOf([{ id: 's1', tool: 'compute' }])],
  });
  const { runId, usage } = await bench.invoke();
  expect(usage.gpuMs).toBe(0);
  const observed = (await bench.events(runId)).find((event) => event.type === 'step_observed');
  expect(observed?.detail).toContain(`reportGpuMs: ${ms} is not a duration in milliseconds`);
});

test('a request for information at a gate counts as a review of its own', async () => {
  const bench = rig(PRICED);
  const { runId, pending } = await bench.invoke();
  const [{ gateId = '', packetHash = '' } = {}] = pending;
  const inquiry = { packetHash, credential: operator('lead_1'), reason: 'which account?' };
  await bench.runtime.gates.requestInfo(gateId, inquiry);
  expect((await bench.runtime.sessions.get(runId)).usage.humanReviews).toBe(1);
});

verifies(
  'budget:scalar:never-replaces-hard-caps',
  'denies a second side effect although the cost of the run is one per cent of its limit',
  async () => {
    const pay = { approval_mode: 'local_write', side_effect: true } as const;
    const bench = withPrices(
      {
        tools: { pay, finish: { produces: ['done'] } },
        plans: [
          planOf([
            { id: 's1', tool: 'pay', params: { n: 1 } },
            { id: 's2', tool: 'pay', params: { n: 2 } },
            { id: 's3', tool: 'finish' },
          ]),
        ],
        caps: { ...CAPS, side_effects_max: 1, inference_cost_usd_max: 1 },
      },
      { tool_call: 0.01 },
    );
    const stopped = await bench.invoke();
    expect(bench.dispatches.length).toBeLessThanOrEqual(1);
    expect(stopped.cost.usd).toBeLessThanOrEqual(0.01);
    expect(stopped.suspended).toMatchObject({ code: 'BUDGET_EXHAUSTED', detail: { dimension: 'side_effects' } });
  },
);

test('ambit() refuses a price that is negative, and a unit that does not exist', () => {
  expect(() => rig({ world: { policy: { prices: { tool_call: -1 } } } })).toThrow(/world\/policy\/prices\/tool_call/);
  const misspelt = { tool_cal: 1 } as UnitPrices;
  expect(() => rig({ world: { policy: { prices: misspelt } } })).toThrow(
    /there is no field tool_cal; there are tool_call, /,
  );
});
