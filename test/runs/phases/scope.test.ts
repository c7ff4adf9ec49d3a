/** A run has its user's scopes, limited by the boundary. */
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { kernelOf, pathOf } from '../graphs/kernel.ts';
import { firstEvent } from '../grounding/recorded-events.ts';
import { planOf, REQUEST, type RigOptions, rig } from '../rig.ts';

const scoped = (agent: AgentSpec): AgentSpec => ({
  ...agent,
  access: { ...agent.access, tool_scopes: { ...agent.access.tool_scopes, secret: ['top_secret'] } },
  boundary: {
    ...agent.boundary,
    observations: { ...agent.boundary.observations, permission_scopes: ['all', 'top_secret'] },
  },
});
const OPTIONS: RigOptions = {
  tools: { secret: {}, finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
  agent: scoped,
};
const identity = (changes: JsonObject): JsonObject => ({
  identity: { ...REQUEST.identity, ...changes },
});

verifies('intake:scope:token-bound-to-active-credentials', 'an expired identity ends the run', async () => {
  const bench = rig(OPTIONS);
  const outcome = await bench.invoke(identity({ expires_at: 1_000 }));
  expect(outcome).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'identity_expired' });
  const path = pathOf(kernelOf(OPTIONS), await bench.events(outcome.runId));
  expect(path.slice(-2)).toEqual(['scope_resolution', 'terminate']);
});

verifies('intake:scope:token-bound-to-active-credentials', 'a token contains only granted scopes', async () => {
  for (const scopes of [[], ['all'], ['all', 'other'], ['all', 'top_secret']]) {
    const bench = rig({ ...OPTIONS, options: { limits: { onEscalate: 'end' } } });
    const { runId } = await bench.invoke(identity({ scopes }));
    const { token } = firstEvent(await bench.events(runId), 'scope_resolved');
    for (const scope of token?.data_scopes ?? []) expect(scopes).toContain(scope);
    expect(token?.allowed_tools.includes('secret')).toBe(scopes.includes('top_secret'));
    expect(token).toMatchObject({ tenant_id: 'tenant_a', roles: ['worker'] });
  }
});

verifies(
  'intake:tool-eligibility:list-narrowed-then-call-checked',
  'does not offer a tool that was not granted',
  async () => {
    const bench = rig(OPTIONS);
    await bench.invoke();
    expect(bench.planner.requests[0]?.tools.map(({ name }) => name)).toEqual(['finish']);
  },
);

verifies(
  'intake:tool-eligibility:list-narrowed-then-call-checked',
  'does not call a tool that was not granted',
  async () => {
    const plans = [1, 2, 3].map((n) => planOf([{ id: 'a', tool: 'secret', params: { n } }], { plan_id: `plan_${n}` }));
    const bench = rig({ ...OPTIONS, plans });
    const outcome = await bench.invoke();
    expect(outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(bench.dispatches).toEqual([]);
    const verdicts = (await bench.events(outcome.runId)).flatMap((event) =>
      event.type === 'plan_verified' ? event.problems.map(({ code }) => code) : [],
    );
    expect(new Set(verdicts)).toEqual(new Set(['tool_not_allowed']));
  },
);

verifies(
  'intake:tool-eligibility:list-narrowed-then-call-checked',
  'refuses a tool that was not granted and that an earlier result names, at its call',
  async () => {
    const named = { type: 'object', properties: { tool: { type: 'string' } }, required: ['tool'] } as const;
    const choosing = (tool: string): RigOptions => ({
      ...OPTIONS,
      tools: {
        ...OPTIONS.tools,
        choose: { output_schema: named, execute: () => ({ tool }) },
        run: { unwrap: { tool: '/tool', args: '/args' }, produces: ['done'] },
      },
      plans: [
        planOf([
          { id: 'a', tool: 'choose' },
          { id: 'b', tool: 'run', params: { tool: { $from: 'a', path: '/tool' }, args: {} }, depends_on: ['a'] },
        ]),
      ],
      options: { limits: { onEscalate: 'end' } },
    });
    const bench = rig(choosing('secret'));
    const outcome = await bench.invoke();
    const events = await bench.events(outcome.runId);
    expect(firstEvent(events, 'plan_verified')).toMatchObject({ verdict: 'ok', problems: [] });
    expect(firstEvent(events, 'step_refused')).toMatchObject({
      step_id: 'b',
      layer: 'permission',
      code: 'tool_not_allowed',
    });
    expect(outcome).toMatchObject({ status: 'failed', terminalCode: 'PERMISSION_DENIED' });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['choose']);
    const granted = rig(choosing('finish'));
    await granted.invoke();
    expect(granted.dispatches.map(({ tool }) => tool)).toEqual(['choose', 'run']);
  },
);
