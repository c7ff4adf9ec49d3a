/** Tests that a call is sent only if every criterion holds: one denial outweighs every permission. */
import { expect } from 'vitest';
import { type AuthorizationRequest, authorizeStep } from '../../../src/gateway/dispatch/authorize-step.ts';
import { CLEAN } from '../../../src/model/evidence/origin.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { partsOf } from '../graphs/kernel.ts';
import { CAPS, operator, planOf, type Rig, type RigOptions, rig, START_MS, toolSpec } from '../rig.ts';

const SCHEMA = { type: 'object', required: ['to'], properties: { to: { type: 'string' } } };

function office(changes: Partial<RigOptions> = {}, params: Readonly<Record<string, string | number>> = { to: 'ana' }) {
  return rig({
    tools: {
      send: { input_schema: SCHEMA, side_effect: true, approval_mode: 'local_write', produces: ['done'] },
      other: { produces: ['done'] },
    },
    plans: Array.from({ length: 4 }, () => planOf([{ id: 's1', tool: 'send', params }])),
    caps: { ...CAPS, replan_attempts_max: 0 },
    options: { limits: { onEscalate: 'end' } },
    ...changes,
  });
}

/** Returns every recorded reason why the call was not made. */
async function whyNot(bench: Rig): Promise<string> {
  const { runId } = await bench.invoke();
  expect(bench.dispatches).toEqual([]);
  const events = await bench.events(runId);
  const refused = eventsOf(events, 'step_refused').map(({ layer, code, message }) => `${layer} ${code} ${message}`);
  const problems = eventsOf(events, 'plan_verified').flatMap((event) =>
    event.problems.map(({ code, message }) => `${code} ${message}`),
  );
  const scope = eventsOf(events, 'scope_resolved').map(({ reason }) => reason ?? '');
  const ends = eventsOf(events, 'run_terminated').map(({ reason, detail }) => `${reason} ${JSON.stringify(detail)}`);
  await bench.runtime.records.replay(runId);
  return [...refused, ...problems, ...scope, ...ends].join('\n');
}

const tools = (changes: Partial<AgentSpec['boundary']['tools']>) => ({
  agent: (agent: AgentSpec): AgentSpec => ({
    ...agent,
    boundary: { ...agent.boundary, tools: { ...agent.boundary.tools, ...changes } },
  }),
});

verifies(
  'boundary:tools:five-way-match-before-dispatch',
  'blocks the call if any one of the five criteria fails and names it; sends it if all five hold',
  async () => {
    expect(await whyNot(office(tools({ allowed: ['other'] })))).toContain('tool_not_allowed');
    expect(await whyNot(office({}, { to: 7 }))).toContain('argument_invalid');
    const spent = { ...CAPS, side_effects_max: 0, replan_attempts_max: 0 };
    expect(await whyNot(office({ caps: spent }))).toContain('side_effects');
    expect(await whyNot(office(tools({ mode_max: 'read_only' })))).toContain('approval_authority_exceeded');
    const scoped: Partial<RigOptions> = {
      agent: (agent) => ({ ...agent, access: { ...agent.access, tool_scopes: { other: ['all'], send: ['letters'] } } }),
    };
    expect(await whyNot(office(scoped))).toContain('tool_not_allowed');

    const all = office();
    expect(await all.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(all.dispatches).toHaveLength(1);
  },
);

verifies(
  'boundary:tools:five-way-match-before-dispatch',
  'checks all five criteria again right before the dispatch and names the one that failed',
  () => {
    const { gateway } = partsOf({}).ports;
    const spec = toolSpec('send', { side_effect: true, approval_mode: 'local_write' });
    const token = { actor: 'agt_worker', tenant_id: 'tenant_a', allowed_tools: ['send'], expires_at: START_MS + 1 };
    const bounds = { allowed: ['send'], needs_approval: [], mode_max: 'destructive', risk_max: 'critical' } as const;
    const rules = { bounds: { ...bounds, untrusted_arguments: 'shown' }, risk: 'low', approvals: [] } as const;
    const good: AuthorizationRequest = {
      run: { runId: 'run_1', tenantId: 'tenant_a', agent: 'worker' },
      step: { id: 's1', tool: 'send' },
      spec,
      args: { to: 'ana' },
      argsHash: 'sha256:1',
      attempt: 1,
      origin: CLEAN,
      token: { ...token, approval_authority: 'destructive' } as unknown as AuthorizationRequest['token'],
      now: START_MS,
      rules,
      check: ({ to }) =>
        typeof to === 'string' ? [] : [{ code: 'argument_invalid', path: '/to', message: 'no text' }],
    };
    const limited = toolSpec('send', { ...spec, limits: { rate: { calls: 1, per_ms: 600_000 } } });
    const ruling = (changes: Partial<AuthorizationRequest>): string => {
      const event = authorizeStep({ ...good, ...changes }, gateway.layers);
      return event.type === 'step_refused' ? `${event.layer} ${event.code}: ${event.message}` : event.type;
    };
    expect(ruling({})).toBe('step_cleared');
    expect(ruling({ rules: { ...rules, bounds: { ...rules.bounds, allowed: ['other'] } } })).toBe(
      'permission tool_not_allowed: send is outside the boundary',
    );
    expect(ruling({ args: { to: 7 } })).toBe('schema argument_invalid: /to no text');
    expect(ruling({ spec: limited })).toBe('step_cleared');
    expect(ruling({ spec: limited, run: { ...good.run, runId: 'run_2' }, argsHash: 'sha256:2' })).toMatch(
      /^budget rate_limited: send may be called 1 times/,
    );
    expect(ruling({ rules: { ...rules, bounds: { ...rules.bounds, risk_max: 'low' }, risk: 'high' } })).toBe(
      'risk risk_max_exceeded: the boundary permits calls up to low risk, and this run is high',
    );
    const other = { ...token, approval_authority: 'destructive', allowed_tools: ['other'] };
    expect(ruling({ token: other as unknown as AuthorizationRequest['token'] })).toBe(
      'permission tool_not_allowed: agt_worker may not use send',
    );
  },
);

verifies(
  'boundary:layers:five-layer-order-and-deny-wins',
  'sends nothing if the infrastructure denies a call that model, policies and approver allow, and records that denial',
  async () => {
    let denies = false;
    const bench = office({
      tools: {
        send: { side_effect: true, approval_mode: 'network', gates: ['GATE_SEND'], produces: ['done'] },
        other: {},
      },
      plans: [planOf([{ id: 's1', tool: 'send', params: { to: 'ana' }, requires: ['GATE_SEND'] }])],
      world: {
        infrastructure: {
          permits: () => (denies ? { ok: false, reason: 'mail.example is not on the egress list' } : { ok: true }),
        },
      },
    });
    const waiting = await bench.invoke();
    const [gate] = waiting.pending;
    denies = true;
    const answer = { packetHash: gate?.packetHash ?? '', credential: operator('ana'), reason: 'send it' };
    const run = await bench.settle(bench.runtime.approve(gate?.gateId ?? '', answer));
    expect(run).toMatchObject({ terminalCode: 'PERMISSION_DENIED' });
    expect(bench.dispatches).toEqual([]);
    const events = await bench.events(run.runId);
    expect(eventsOf(events, 'gate_decided')).toMatchObject([{ decision: 'approve' }]);
    expect(eventsOf(events, 'step_refused')).toMatchObject([
      { layer: 'infrastructure', code: 'infrastructure_denied', message: 'mail.example is not on the egress list' },
    ]);
    await bench.runtime.records.replay(run.runId);
  },
);

verifies(
  'budget:tool-budget:count-rate-and-money',
  'defers a call over the rate; ends with BUDGET_EXHAUSTED over the tool spend, which is separate from inference cost',
  async () => {
    const ask = {
      limits: { rate: { calls: 1, per_ms: 5_000 } },
      cost: { input_tokens: 0, output_tokens: 0, microusd: 400_000 },
    };
    const steps = [0, 1, 2].map((n) => ({
      id: `s${n}`,
      tool: 'ask',
      params: { n },
      depends_on: n === 0 ? [] : [`s${n - 1}`],
    }));
    const three = planOf([...steps, { id: 'last', tool: 'finish', depends_on: ['s2'] }]);
    const bench = (money: number) =>
      rig({
        tools: { ask, finish: { produces: ['done'] } },
        plans: [three],
        caps: { ...CAPS, tool_spend_usd_max: money, inference_cost_usd_max: 10, replan_attempts_max: 0 },
        options: { limits: { onEscalate: 'end' } },
      });
    const paid = bench(2);
    expect(await paid.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(paid.dispatches.map(({ at }) => at - START_MS)).toEqual([0, 5_000, 10_000, 10_000]);
    const short = bench(1);
    const run = await short.invoke();
    expect(run).toMatchObject({ terminalCode: 'BUDGET_EXHAUSTED' });
    const end = eventsOf(await short.events(run.runId), 'run_terminated').at(-1);
    expect(JSON.stringify(end?.detail)).toContain('tool_spend');
  },
);
