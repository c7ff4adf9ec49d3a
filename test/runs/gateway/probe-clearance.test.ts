/** Tests that a probe passes the same layers as every call, before its plan is accepted and before it is sent. */
import { describe, expect, test } from 'vitest';
import type { KernelEnv } from '../../../src/kernel/env.ts';
import { assertProbeAllowed } from '../../../src/kernel/query/call/policy-record.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import type { Json } from '../../../src/model/json/json.ts';
import type { PolicyJudge } from '../../../src/model/policy/policy-decision.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { eventsOf } from '../policy/bench.ts';
import {
  neverAnswers,
  planOf,
  REQUEST,
  type Rig,
  type RigOptions,
  type RigTool,
  rig,
  START_MS,
  toolSpec,
} from '../rig.ts';

const FOUND = { address: 'somebody@example.org' };
const ADDRESS = { type: 'object', properties: { address: { type: 'string' } }, required: ['address'] };
const PLAN = planOf([{ id: 'o', tool: 'order' }]);

interface Shop {
  readonly order?: RigTool;
  readonly find?: RigTool;
  readonly more?: RigOptions;
}

/** An order whose answer is lost, with a reconcile probe. */
function lost({ order = {}, find = {}, more = {} }: Shop = {}): RigOptions {
  return {
    plans: [PLAN],
    ...more,
    tools: {
      order: {
        side_effect: true,
        approval_mode: 'local_write',
        idempotency: { kind: 'none' },
        timeout_ms: 1_000,
        retries_max: 0,
        produces: ['done'],
        output_schema: ADDRESS,
        probes: { reconcile: 'find' },
        execute: neverAnswers,
        ...order,
      },
      find: { output_schema: {}, execute: () => FOUND, ...find },
      ...more.tools,
    },
  };
}

/** An order that answers, with a verify probe. */
const placed = (shop: Shop = {}): RigOptions =>
  lost({
    ...shop,
    order: {
      probes: { verify: 'find' },
      probing: { verify: { args: () => ({}), expect: () => true } },
      execute: () => FOUND,
      ...shop.order,
    },
  });

type Rule = (tool: string, pending: readonly string[]) => { effect: 'permit' | 'forbid'; gates?: readonly string[] };

const judge = (rule: Rule): PolicyJudge => ({
  version: 'rules@1',
  decide: ({ resource, context }) => {
    const pending = 'pending' in context ? context.pending : [];
    return { determining: ['one'], reasons: [], gates: [], errors: [], ...rule(resource.name, pending) };
  },
});

const withBounds =
  (tools: Partial<AgentSpec['boundary']['tools']>) =>
  (agent: AgentSpec): AgentSpec => ({
    ...agent,
    boundary: { ...agent.boundary, tools: { ...agent.boundary.tools, ...tools } },
  });

const asked = (bench: Rig) => bench.dispatches.filter(({ tool }) => tool === 'find');
/** Each tool is its own scope, and the identity has only that of the order. */
const unscoped = (agent: AgentSpec): AgentSpec => ({ ...agent, access: { ...agent.access, tool_scopes: {} } });
const IDENTITY = { identity: { ...REQUEST.identity, scopes: ['all', 'order'] } };

const PLAN_REFUSALS: readonly (readonly [string, Shop, string])[] = [
  [
    'a policy forbids',
    { more: { world: { policy: { calls: judge((tool) => ({ effect: tool === 'find' ? 'forbid' : 'permit' })) } } } },
    'permission_denied',
  ],
  [
    'a policy sends to a gate',
    {
      more: {
        world: { policy: { calls: judge((tool) => ({ effect: 'permit', gates: tool === 'find' ? ['GATE_X'] : [] })) } },
      },
    },
    'permission_denied',
  ],
  ['the identity has no scope for', { more: { agent: unscoped } }, 'tool_not_allowed'],
  ['the boundary sends to a gate', { more: { agent: withBounds({ needs_approval: ['find'] }) } }, 'permission_denied'],
  ['has its own gate', { find: { gates: ['GATE_OWN'] } }, 'permission_denied'],
  ['is inactive', { find: { active: false } }, 'tool_inactive'],
];

describe.each(PLAN_REFUSALS)('a probe that %s', (_, shop, code) => {
  test.each([
    ['a lost answer', lost],
    ['a result', placed],
  ] as const)('is refused with the plan, before the call about whose %s it would be asked', async (_name, options) => {
    const bench = rig(options(shop));
    const run = await bench.invoke(IDENTITY);
    expect(bench.dispatches).toEqual([]);
    const [verified] = eventsOf(await bench.events(run.runId), 'plan_verified');
    expect(verified?.problems).toMatchObject([{ code, step_id: 'o', detail: { tool: 'find', companion_of: 'order' } }]);
    await bench.runtime.records.replay(run.runId);
  });
});

const DISPATCH_REFUSALS: readonly (readonly [string, Shop, object])[] = [
  [
    'a policy forbids once its arguments are known',
    {
      find: { input_schema: { type: 'object', properties: { idempotency_key: { type: 'string' } } } },
      more: {
        world: {
          policy: {
            calls: judge((tool, pending) => ({
              effect: tool === 'find' && pending.length === 0 ? 'forbid' : 'permit',
            })),
          },
        },
      },
    },
    { refused: { layer: 'permission', code: 'permission_denied' }, policy: { effect: 'forbid', version: 'rules@1' } },
  ],
  [
    'rejects the arguments',
    { find: { input_schema: { type: 'object', required: ['order_id'] } } },
    { refused: { layer: 'schema', code: 'argument_invalid' } },
  ],
  [
    'the infrastructure denies',
    {
      more: {
        world: {
          infrastructure: { permits: ({ tool }) => (tool === 'find' ? { ok: false, reason: 'no' } : { ok: true }) },
        },
      },
    },
    { refused: { layer: 'infrastructure', code: 'infrastructure_denied' } },
  ],
];

describe.each(DISPATCH_REFUSALS)('a probe that %s', (_, shop, recorded) => {
  test('is not called about a lost answer, which stays unknown', async () => {
    const bench = rig(lost(shop));
    const run = await bench.invoke(IDENTITY);
    expect(asked(bench)).toEqual([]);
    const [event] = eventsOf(await bench.events(run.runId), 'call_reconciled');
    expect(event).toMatchObject({ finding: 'unknown', ...recorded });
    await bench.runtime.records.replay(run.runId);
  });

  test('is not called about a result, which stays unverified', async () => {
    const bench = rig(placed(shop));
    const run = await bench.invoke(IDENTITY);
    expect(asked(bench)).toEqual([]);
    const events = await bench.events(run.runId);
    expect(eventsOf(events, 'step_probed')).toMatchObject([{ as_expected: false, ...recorded }]);
    expect(eventsOf(events, 'step_committed')).toEqual([]);
    await bench.runtime.records.replay(run.runId);
  });
});

test('calls a probe that the policies permit, and records their decision', async () => {
  const bench = rig(lost({ more: { world: { policy: { calls: judge(() => ({ effect: 'permit' })) } } } }));
  const run = await bench.invoke();
  const [event] = eventsOf(await bench.events(run.runId), 'call_reconciled');
  expect(event).toMatchObject({ finding: 'happened', policy: { effect: 'permit', version: 'rules@1' } });
  expect(event).not.toHaveProperty('refused');
  await bench.runtime.records.replay(run.runId);
});

test('applies the rate of a probe across runs: waits for a near slot and refuses a distant one', async () => {
  const hourly = rig(
    lost({ find: { limits: { rate: { calls: 1, per_ms: 3_600_000 } } }, more: { plans: [PLAN, PLAN] } }),
  );
  await hourly.invoke();
  const { runId } = await hourly.invoke();
  expect(asked(hourly)).toHaveLength(1);
  expect(eventsOf(await hourly.events(runId), 'call_reconciled')).toMatchObject([
    { finding: 'unknown', refused: { layer: 'budget', code: 'rate_limited' } },
  ]);
  const soon = rig(lost({ find: { limits: { rate: { calls: 1, per_ms: 40_000 } } }, more: { plans: [PLAN, PLAN] } }));
  await soon.invoke();
  await soon.invoke();
  const [first = START_MS, second = START_MS] = asked(soon).map(({ at }) => at);
  expect(second - first).toBe(40_000);
});

describe('a finding is trusted only if both tool and probe are trusted', () => {
  const shop = (trusted: { readonly order: boolean; readonly find: boolean }): RigOptions =>
    lost({
      order: { trusted: trusted.order, produces: [] },
      find: { trusted: trusted.find },
      more: {
        plans: [
          planOf([
            { id: 'o', tool: 'order' },
            { id: 'n', tool: 'note', depends_on: ['o'], params: { to: { $from: 'o', path: '/address' } } },
          ]),
        ],
        tools: {
          note: {
            approval_mode: 'local_write',
            side_effect: true,
            produces: ['done'],
            hazards: { sensitive: ['/to'] },
          },
        },
      },
    });

  test.each([
    { order: true, find: true, status: 'completed' },
    { order: true, find: false, status: 'awaiting_gate' },
    { order: false, find: true, status: 'awaiting_gate' },
  ])('tool $order and probe $find: $status', async ({ status, ...trusted }) => {
    const bench = rig(shop(trusted));
    const run = await bench.invoke();
    expect(run.status).toBe(status);
    const { state } = await bench.runtime.records.replay(run.runId);
    expect(state.planning.exposed).toBe(status !== 'completed');
  });
});

test('records a probe answer that arrives after the timeout, and settles nothing with it', async () => {
  const { promise: late, resolve: answerLate } = Promise.withResolvers<Json>();
  const kind = { kind: 'key', retention_ms: 600_000 } as const;
  let orders = 0;
  const execute: RigTool['execute'] = () => {
    orders += 1;
    if (orders === 1) return new Promise(() => undefined);
    answerLate(FOUND);
    return FOUND;
  };
  const order = { idempotency: kind, retries_max: 1, execute };
  const bench = rig(lost({ order, find: { timeout_ms: 500, execute: () => late } }));
  const run = await bench.invoke();
  const events = await bench.events(run.runId);
  expect(eventsOf(events, 'call_reconciled')).toMatchObject([{ finding: 'unknown' }]);
  expect(eventsOf(events, 'answer_came_late')).toMatchObject([{ call_id: 'call_1:reconcile', raw: FOUND }]);
  expect(orders).toBe(2);
  await bench.runtime.records.replay(run.runId);
});

describe('a journal in which a probe was called that may not be called', () => {
  const tools = {
    find: toolSpec('find'),
    write: toolSpec('write', { approval_mode: 'local_write', side_effect: true }),
  };
  const envWith = (calls?: PolicyJudge): KernelEnv =>
    ({ tools: { get: (name: keyof typeof tools) => tools[name] }, policy: { calls } }) as unknown as KernelEnv;

  const stateOf = async (): Promise<RunState> => {
    const bench = rig(lost());
    const { runId } = await bench.invoke();
    return (await bench.runtime.records.replay(runId)).state;
  };

  test('is rejected', async () => {
    const state = await stateOf();
    const rules = judge(() => ({ effect: 'permit' }));
    const refused = { layer: 'permission', code: 'permission_denied' } as const;
    assertProbeAllowed(envWith(), state, { probe: 'find' }, true);
    assertProbeAllowed(envWith(rules), state, { probe: 'find' }, false);
    expect(() => assertProbeAllowed(envWith(), state, { probe: 'find', refused }, true)).toThrow('was refused');
    expect(() => assertProbeAllowed(envWith(), state, { probe: 'write' }, true)).toThrow('is no probe');
    expect(() => assertProbeAllowed(envWith(rules), state, { probe: 'find' }, true)).toThrow('no policy lets');
    const token = state.intake.token === null ? null : { ...state.intake.token, allowed_tools: ['order'] };
    const narrowed: RunState = { ...state, intake: { ...state.intake, token } };
    expect(() => assertProbeAllowed(envWith(), narrowed, { probe: 'find' }, true)).toThrow('may not ask find');
  });
});
