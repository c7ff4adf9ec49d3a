/** Tests that probes and compensations belong to their tool: verified with the plan, and permitted with the tool. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, ambit, type RequestUser, templatePlanner, tool } from '../../../src/index.ts';
import type { Json } from '../../../src/model/json/json.ts';
import type { PolicyJudge } from '../../../src/model/policy/policy-decision.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';
import { acts, CANCEL } from './undo-bench.ts';

const BOOK = acts({
  probes: { compensate: 'unbook' },
  probing: { compensate: { args: () => ({ id: 'b_1' }) } },
});

const FINISH = acts({ approval_mode: 'network', gates: ['GATE_FINISH'], produces: ['done'] });

/** A hotel whose undo tool is only named by `compensate`: neither the boundary nor the identity permits it otherwise. */
function hotel(tools: Readonly<Record<string, RigTool>> = {}, unlisted: readonly string[] = ['unbook']): RigOptions {
  return {
    tools: { book: BOOK, unbook: acts(), finish: FINISH, ...tools },
    plans: [
      planOf([
        { id: 's1', tool: 'book' },
        { id: 's2', tool: 'finish', depends_on: ['s1'], requires: ['GATE_FINISH'] },
      ]),
    ],
    agent: (declared) => without(declared, unlisted),
  };
}

/** The agent without these tools: its boundary does not list them, and no identity has their scope. */
function without(declared: AgentSpec, names: readonly string[]): AgentSpec {
  const { boundary, access } = declared;
  const allowed = boundary.tools.allowed.filter((name) => !names.includes(name));
  const tool_scopes = {
    ...access.tool_scopes,
    ...Object.fromEntries(names.map((name) => [name, ['scope.of.no.user']])),
  };
  return {
    ...declared,
    boundary: { ...boundary, tools: { ...boundary.tools, allowed } },
    access: { ...access, tool_scopes },
  };
}

async function abandoned(bench: Rig): Promise<RunOutcome> {
  await bench.invoke();
  return await bench.settle(bench.runtime.sessions.send('run_1', CANCEL));
}

const called = ({ dispatches }: Rig): readonly string[] => dispatches.map((sent) => sent.tool);

describe('a compensation that is listed nowhere else', () => {
  verifies('execute:compensation:belongs-to-its-tool', 'is called when its run is cancelled', async () => {
    const bench = rig(hotel());
    const run = await abandoned(bench);
    expect(run).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
    expect(called(bench)).toEqual(['book', 'unbook']);
    expect(run.record?.effects).toMatchObject([{ tool: 'book', compensation: 'unbook', outcome: 'rolled_back' }]);
    expect(run.record?.rollback_spent).toMatchObject({ calls: 1 });
    await bench.runtime.records.replay('run_1');
  });

  verifies(
    'execute:compensation:belongs-to-its-tool',
    'waits at the gate of its own mode, also beyond the authority of the identity',
    async () => {
      const options = hotel({ unbook: acts({ approval_mode: 'destructive', gates: ['GATE_UNBOOK'] }) });
      const bench = rig({
        ...options,
        agent: (declared) => {
          const spec = without(declared, ['unbook']);
          return { ...spec, access: { ...spec.access, role_authority: { worker: 'network' } } };
        },
      });
      const waiting = await abandoned(bench);
      expect(waiting).toMatchObject({
        status: 'awaiting_gate',
        terminalCode: null,
        pending: [{ name: 'GATE_UNBOOK' }],
      });
      expect(called(bench)).toEqual(['book']);
      const { gateId = '', packetHash = '' } = waiting.pending[0] ?? {};
      const answer = { packetHash, credential: operator('ana'), reason: 'looked at it' };
      const run = await bench.settle(bench.runtime.gates.approve(gateId, answer));
      expect(called(bench)).toEqual(['book', 'unbook']);
      expect(run.record?.effects).toMatchObject([{ tool: 'book', outcome: 'rolled_back' }]);
      await bench.runtime.records.replay('run_1');
    },
  );

  test('has its probe called as well', async () => {
    const unbook = acts({
      probes: { verify: 'look' },
      probing: { verify: { args: ({ args }) => args, expect: (_, found) => (found as { gone?: Json }).gone === true } },
    });
    const look: RigTool = { execute: () => ({ gone: true }) };
    const bench = rig(hotel({ unbook, look }, ['unbook', 'look']));
    const run = await abandoned(bench);
    expect(called(bench)).toEqual(['book', 'unbook', 'look']);
    expect(run.record?.effects).toMatchObject([{ outcome: 'rolled_back', reason: 'taken_back' }]);
    await bench.runtime.records.replay('run_1');
  });

  test('is called by no plan', async () => {
    const plan = planOf([{ id: 's1', tool: 'unbook' }]);
    const bench = rig({ ...hotel(), plans: [plan, plan, plan] });
    const run = await bench.invoke();
    expect(called(bench)).toEqual([]);
    expect(run.why.join(' ')).toContain('may not use unbook');
  });

  test('is not called beyond the mode of the boundary, and the outcome names the effect that stands', async () => {
    const options = hotel({ unbook: acts({ approval_mode: 'destructive', gates: ['GATE_UNBOOK'] }) });
    const bench = rig({
      ...options,
      agent: (declared) => {
        const spec = without(declared, ['unbook']);
        const tools = { ...spec.boundary.tools, mode_max: 'network' as const };
        return { ...spec, boundary: { ...spec.boundary, tools } };
      },
    });
    const run = await abandoned(bench);
    expect(called(bench)).toEqual(['book']);
    expect(run.record?.effects).toMatchObject([{ outcome: 'stands', reason: 'approval_authority_exceeded' }]);
    expect(run.why.join('\n')).toContain(
      'the effect of book (step s1, call_1) stands: unbook did not undo it (approval_authority_exceeded)',
    );
    await bench.runtime.records.replay('run_1');
  });
});

verifies(
  'execute:compensation:belongs-to-its-tool',
  'the outcome names each effect that stands, with the reason',
  async () => {
    const bench = rig(hotel({ book: acts() }));
    const run = await abandoned(bench);
    expect(run.record?.effects).toMatchObject([{ tool: 'book', outcome: 'stands', reason: 'no_compensation' }]);
    expect(run.why).toContain('the effect of book (step s1, call_1) stands: the tool declares no compensation');
  },
);

const PROBED = acts({
  approval_mode: 'destructive',
  gates: ['GATE_FINISH'],
  produces: ['done'],
  probes: { verify: 'look' },
  probing: { verify: { args: () => ({}), expect: () => true } },
});

const payment = (tools: Readonly<Record<string, RigTool>> = {}): RigOptions => {
  const plan = planOf([{ id: 's1', tool: 'pay', requires: ['GATE_FINISH'] }]);
  return { tools: { pay: PROBED, look: {}, ...tools }, plans: [plan, plan, plan] };
};

describe('a probe is verified with the plan', () => {
  test('an identity without its permission is refused before the gate', async () => {
    const bench = rig({
      ...payment(),
      agent: (declared) => {
        // Tools without declared scopes need the scope of their own name; the identity has that of the payment alone.
        return { ...declared, access: { ...declared.access, tool_scopes: {} } };
      },
    });
    const identity = {
      actor: 'agt_worker',
      tenant_id: 'tenant_a',
      roles: ['worker'],
      scopes: ['pay'],
      expires_at: 4e12,
    };
    const run = await bench.invoke({ identity });
    expect(run).toMatchObject({ terminalCode: 'PERMISSION_DENIED', pending: [] });
    expect(called(bench)).toEqual([]);
    expect(run.why).toEqual([
      'step s1: this run may not use the probe look of pay',
      'look needs the scope look, which the identity does not have: add it to the scopes of the identity',
    ]);
    const events = await bench.events('run_1');
    expect(events.some(({ type }) => type === 'gate_opened')).toBe(false);
    await bench.runtime.records.replay('run_1');
  });

  test.each<[string, RigTool, string]>([
    ['is switched off', { active: false }, 'the probe look of pay is switched off'],
    ['has a gate', { gates: ['GATE_LOOK'] }, 'the probe look of pay has to pass a gate, and a probe opens none'],
  ])('a probe that %s refuses the plan', async (_, look, message) => {
    const bench = rig(payment({ look }));
    const run = await bench.invoke();
    expect(called(bench)).toEqual([]);
    expect(run.why.join('\n')).toContain(message);
    await bench.runtime.records.replay('run_1');
  });

  test('a tool without a side effect calls no probe, so none is verified', async () => {
    const pay: RigTool = { produces: ['done'], probes: { verify: 'look' } };
    const plan = planOf([{ id: 's1', tool: 'pay' }]);
    const bench = rig({ ...payment({ pay, look: { active: false } }), plans: [plan] });
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  });
});

/** Policies that forbid one tool and permit all others. */
const forbids = (name: string): PolicyJudge => ({
  version: 'forbids@1',
  decide: ({ action, resource }) => {
    const isForbidden = action === 'call_tool' && 'name' in resource && resource.name === name;
    const effect = isForbidden ? 'forbid' : 'permit';
    return { effect, determining: [effect], reasons: [], gates: [], errors: [] };
  },
});

describe('policies', () => {
  test.each([
    ['the probe', payment(), 'look', 'the probe look of pay is forbidden'],
    ['the compensation', hotel(), 'unbook', 'the compensation unbook of book is forbidden'],
  ] as const)('that forbid %s refuse the plan', async (_, options, name, message) => {
    const bench = rig({ ...options, world: { policy: { calls: forbids(name) } } });
    const run = await bench.invoke();
    expect(run).toMatchObject({ terminalCode: 'PERMISSION_DENIED' });
    expect(called(bench)).toEqual([]);
    expect(run.why.join('\n')).toContain(message);
    await bench.runtime.records.replay('run_1');
  });
});

describe('an agent with a risk profile', () => {
  const cancelled: string[] = [];
  const cancelOrder = tool({
    name: 'orders.cancel',
    description: 'Cancels an order',
    approvalMode: 'destructive',
    inputSchema: z.object({ order_id: z.string() }),
    outputSchema: z.object({ order_id: z.string() }),
    execute: ({ order_id }) => {
      cancelled.push(order_id);
      return { order_id };
    },
  });
  const placeOrder = tool({
    name: 'orders.place',
    description: 'Places an order',
    approvalMode: 'local_write',
    inputSchema: z.object({}),
    outputSchema: z.object({ order_id: z.string() }),
    execute: () => ({ order_id: 'o_1' }),
    effects: { compensate: cancelOrder },
    risk: { gates: [] },
    rules: { action: 'draft_reply' },
  });
  const notify = tool({
    name: 'mail.send',
    description: 'Notifies the customer',
    approvalMode: 'network',
    inputSchema: z.object({}),
    outputSchema: z.object({}),
    execute: () => ({}),
    risk: { gates: ['GATE_SEND'] },
    rules: { action: 'send_communication' },
  });
  const shop = agent({
    name: 'shop',
    planner: templatePlanner({
      order: {
        plan_id: 'plan_1',
        intent: 'order',
        steps: [
          { id: 's1', tool: 'orders.place' },
          { id: 's2', tool: 'mail.send', depends_on: ['s1'], requires: ['GATE_SEND'] },
        ],
        decision_checkpoints: [],
      },
    }),
    tools: [placeOrder, notify],
    intents: [{ intent: 'order', description: 'Orders something', risk: 'low', criteria: [] }],
    boundary: 'customer_support',
    budget: { profile: 'standard', sideEffectsMax: 2 },
    settings: { roles: { clerk: 'destructive' } },
  });
  const ada: RequestUser = { name: 'ada', tenant: 'acme', roles: ['clerk'] };

  test('needs no entry for the compensation, and explains what it may do', async () => {
    const runtime = ambit({ agent: shop, store: 'memory' });
    const run = await runtime.start({ message: 'Order it', user: ada }).settled;
    expect(run.why).toEqual([]);
    expect(run.status).toBe('awaiting_gate');
    const waiting = await runtime.sessions.cancel(run.runId, { credential: operator('ben'), reason: 'no' });
    expect(cancelled).toEqual([]);
    const { gateId = '', packetHash = '' } = waiting.pending[0] ?? {};
    await runtime.gates.approve(gateId, { packetHash, credential: operator('ana'), reason: 'yes' });
    expect(cancelled).toEqual(['o_1']);
    const section = runtime.agents.explain().sections.find(({ title }) => title === 'Tool orders.cancel');
    expect(section?.lines).toContainEqual(
      expect.objectContaining({ name: 'may be called', value: 'only to undo orders.place, when a run is abandoned' }),
    );
  });
});
