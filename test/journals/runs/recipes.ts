/** The runs to record, each with another path through the product. `kept` holds the recordings. */

import { canonicalize } from '../../../src/model/json/canonical.ts';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import { type PolicyRuling, rulingOnText } from '../../../src/model/policy/policy-decision.ts';
import type { PolicyRequest } from '../../../src/model/policy/policy-request.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import type { Authorizer } from '../../../src/ports/authorizer.ts';
import type { Planner } from '../../../src/ports/model/planner.ts';
import { judgeAnswer, judgedRig } from '../../runs/judges/bench.ts';
import { benchAgent, benchLane, LANE_BUDGET, laneRig } from '../../runs/lanes/bench.ts';
import { decide, reactiveBench, respond } from '../../runs/reactive/bench.ts';
import { CAPS, operator, planOf, type Rig, type RigOptions, type RigTool, rig, START_MS } from '../../runs/rig.ts';

const KEYED = { kind: 'key', retention_ms: 600_000 } as const;

const acts = (changes: RigTool = {}): RigTool => ({
  side_effect: true,
  approval_mode: 'local_write',
  idempotency: KEYED,
  retries_max: 0,
  ...changes,
});

/** A rig and the finished run on it. */
export interface Recorded {
  readonly bench: Pick<Rig, 'runtime' | 'events'>;
  readonly runId: string;
}

async function ran(bench: Rig): Promise<Recorded> {
  const { runId } = await bench.invoke();
  return { bench, runId };
}

/** A refund waits for an approver, who requests information first and then approves. */
async function gate(): Promise<Recorded> {
  const bench = rig({
    tools: {
      look: { execute: () => ({ total: 42 }) },
      pay: acts({ approval_mode: 'destructive', gates: ['GATE_FINANCE'], produces: ['done'] }),
    },
    plans: [
      planOf([
        { id: 'look', tool: 'look' },
        {
          id: 'pay',
          tool: 'pay',
          requires: ['GATE_FINANCE'],
          params: { sum: { $from: 'look', path: '/total' } },
          depends_on: ['look'],
        },
      ]),
    ],
  });
  const { runId, pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  bench.clock.advanceTo(bench.clock.nowMs() + 61_000);
  const answer = { packetHash, credential: operator('ana', ['finance']), reason: 'within policy' };
  await bench.settle(bench.runtime.approve(gateId, answer));
  return { bench, runId };
}

/** A payment with two gates, one of them with a quorum, waits for three people. */
async function gates(): Promise<Recorded> {
  const needed = ['GATE_FINANCE', 'GATE_LEGAL'];
  const bench = rig({
    tools: { pay: acts({ approval_mode: 'destructive', gates: needed, produces: ['done'] }) },
    plans: [planOf([{ id: 'pay', tool: 'pay', requires: needed, params: { sum: 42 } }])],
    world: {
      policy: {
        gates: {
          GATE_FINANCE: { roles: ['finance'], quorum: 2 },
          GATE_LEGAL: { roles: ['legal'], separation: true },
        },
      },
    },
  });
  const people = [operator('ana', ['finance']), operator('ben', ['finance']), operator('lea', ['legal'])];
  let outcome = await bench.invoke();
  for (const credential of people) {
    const { gateId = '', packetHash = '' } = outcome.pending[0] ?? {};
    bench.clock.advanceTo(bench.clock.nowMs() + 61_000);
    const answer = { packetHash, credential, reason: 'within policy' };
    outcome = await bench.settle(bench.runtime.approve(gateId, answer));
  }
  return { bench, runId: outcome.runId };
}

/** A step fails until its retries are used up, and another plan does the work. */
const replan = (): Promise<Recorded> =>
  ran(
    rig({
      tools: {
        post: {
          retries_max: 1,
          execute: () => {
            throw new Error('down');
          },
        },
        finish: { produces: ['done'] },
      },
      plans: [planOf([{ id: 's1', tool: 'post' }]), planOf([{ id: 's2', tool: 'finish' }], { plan_id: 'plan_2' })],
    }),
  );

/** A model decides one step at a time. */
const reactiveRun = (): Promise<Recorded> =>
  ran(
    reactiveBench([decide('look'), decide('finish'), respond], {
      tools: { look: { execute: () => ({ total: 42 }) }, finish: { produces: ['done'] } },
    }),
  );

/** Two judges score a step's result. */
const judges = (): Promise<Recorded> =>
  ran(
    judgedRig([{ says: [judgeAnswer(0.9, 'well done')] }, { name: 'second', says: [judgeAnswer(0.8, 'well enough')] }]),
  );

/** A cancelled run rolls its effects back, newest first. */
async function rollback(): Promise<Recorded> {
  const reversible = (undo: string, id: string): RigTool =>
    acts({
      probes: { compensate: undo },
      probing: { compensate: { args: ({ result }) => ({ id: (result as JsonObject)['id'] ?? '' }) } },
      execute: () => ({ id }),
    });
  const bench = rig({
    tools: {
      book: reversible('unbook', 'b_1'),
      mail: acts(),
      unbook: acts(),
      finish: acts({ approval_mode: 'network', gates: ['GATE_FINISH'], produces: ['done'] }),
    },
    plans: [
      planOf([
        { id: 's1', tool: 'book' },
        { id: 's2', tool: 'mail', depends_on: ['s1'] },
        { id: 's3', tool: 'finish', depends_on: ['s2'], requires: ['GATE_FINISH'] },
      ]),
    ],
  });
  const { runId } = await bench.invoke();
  await bench.settle(
    bench.runtime.sessions.cancel(runId, { credential: operator('ben'), reason: 'not wanted any more' }),
  );
  return { bench, runId };
}

/** A context that is too large for the next plan is compressed, and the run continues. */
function compressed(): Promise<Recorded> {
  const plans = [
    planOf([{ id: 'look', tool: 'look' }]),
    planOf([{ id: 'flaky', tool: 'flaky' }], { plan_id: 'plan_2' }),
    planOf([{ id: 'end', tool: 'finish' }], { plan_id: 'plan_3' }),
  ];
  let asked = 0;
  const propose: Planner['propose'] = async (_request, _signal, _models, _check, pad) => {
    asked += 1;
    pad.note('I wonder whether I should have looked twice. '.repeat(200));
    const proposal = plans[asked - 1] ?? null;
    return { proposal, author: 'host', spent: NO_COST, contextTokens: asked === 1 ? 0 : 90_000 };
  };
  const item = {
    key: 'told',
    type: 'order',
    value: 'x'.repeat(300_000),
    source_id: 'crm',
    permission_scope: 'all',
    observed_at: START_MS,
    fresh_until: START_MS + 3_600_000,
    trusted: true,
    authority: 1,
    personal_data: false,
  };
  const context = {
    context_id: 'context_1',
    pack_pin: 'ctxpack.bench@1.0.0',
    snapshot_pin: 'kg_1',
    items: [item],
    compiled_at: START_MS,
    memory_snapshot: null,
  };
  const options = { planner: { propose } } as unknown as NonNullable<RigOptions['options']>;
  return ran(
    rig({
      tools: {
        look: { produces: ['order'], execute: () => ({ total: 42 }) },
        flaky: {
          retries_max: 0,
          execute: () => {
            throw new Error('not now');
          },
        },
        finish: { produces: ['done'] },
      },
      options,
      world: { context },
    }),
  );
}

/** Call rules that never change, independent of the shipped policy engine. */
export const SMALL_CALLS: Authorizer = {
  version: 'small_calls/1',
  decide: (request) => rulingOnText(canonicalize(lookedAt(request)), ruled(request)),
};

const lookedAt = (request: PolicyRequest): Json =>
  request.action === 'call_tool' ? { tool: request.resource.name, sum: request.context.arguments['sum'] ?? null } : {};

const ruled = (request: PolicyRequest): PolicyRuling => ({
  effect: Number((lookedAt(request) as JsonObject)['sum'] ?? 0) <= 100 ? 'permit' : 'forbid',
  determining: ['small'],
  reasons: ['is small'],
  gates: [],
  errors: [],
});

/** Rules decide every call when it is planned and when it is sent. */
const policies = (): Promise<Recorded> =>
  ran(
    rig({
      tools: { look: { execute: () => ({ total: 42 }) }, pay: acts({ produces: ['done'] }) },
      plans: [
        planOf([
          { id: 'look', tool: 'look', params: { sum: 1 } },
          { id: 'pay', tool: 'pay', params: { sum: { $from: 'look', path: '/total' } }, depends_on: ['look'] },
        ]),
      ],
      world: { policy: { calls: SMALL_CALLS } },
    }),
  );

/** A supervisor delegates a lookup to a clerk, who delegates it to a reader. */
async function lanes(): Promise<Recorded> {
  const reader = benchAgent({
    name: 'reader',
    tools: { look: { produces: ['done'], execute: () => ({ total: 42 }) } },
    plans: [planOf([{ id: 'look', tool: 'look' }])],
  });
  const caps = { ...CAPS, lanes_max: 2 };
  const ask = benchLane('ask', reader);
  const clerk = benchAgent({
    name: 'clerk',
    tools: {},
    lanes: [ask],
    caps,
    plans: [planOf([{ id: 'ask', tool: 'ask' }])],
  });
  const delegate = benchLane('delegate', clerk, {
    budget: {
      ...LANE_BUDGET,
      stepsMax: 10,
      toolCallsMax: 10,
      externalApiCallsMax: 10,
      inputTokensMax: 5_000,
      outputTokensMax: 5_000,
      inferenceCostUsdMax: 5,
      lanesMax: 1,
    },
  });
  const plans = [planOf([{ id: 'delegate', tool: 'delegate' }])];
  const bench = laneRig([benchAgent({ name: 'boss', tools: {}, lanes: [delegate], caps, plans })]);
  const { runId } = await bench.invoke();
  return { bench, runId };
}

export const RECIPES: Readonly<Record<string, () => Promise<Recorded>>> = {
  gate,
  gates,
  replan,
  reactive: reactiveRun,
  judges,
  rollback,
  compressed,
  lanes,
  policies,
};
