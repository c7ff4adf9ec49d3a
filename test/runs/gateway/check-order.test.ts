/** Tests that every call passes the checks in one order: registry, schema, permission, budget, approval. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { authorizeStep } from '../../../src/gateway/dispatch/authorize-step.ts';
import { createGateway } from '../../../src/gateway/gateway.ts';
import type { ProposedCall } from '../../../src/gateway/layers/layer.ts';
import { BREAKER_LIMITS } from '../../../src/gateway/limits/breakers.ts';
import { CLEAN } from '../../../src/model/evidence/origin.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { CAPS, planOf, type RigOptions, rig, START_MS, toolSpec } from '../rig.ts';

const ID = 'gateway:pipeline:fixed-check-order';

const WRITE = {
  approval_mode: 'destructive',
  side_effect: true,
  gates: ['GATE_WRITE'],
  produces: ['done'],
  input_schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
} as const;

/** Returns the first problem of a run whose only call violates every check that is not in `fixed`. */
async function firstProblem(...fixed: readonly string[]): Promise<string> {
  const is = (what: string): boolean => fixed.includes(what);
  const options: RigOptions = {
    tools: { look: { produces: ['done'] }, write: WRITE },
    plans: [
      planOf([
        {
          id: 'a',
          tool: is('registry') ? 'write' : 'wright',
          params: { n: is('schema') ? 1 : 'one' },
          ...(is('approval') ? { requires: ['GATE_WRITE'] } : {}),
        },
      ]),
    ],
    agent: (agent) => ({
      ...agent,
      boundary: {
        ...agent.boundary,
        tools: { ...agent.boundary.tools, allowed: is('permission') ? ['look', 'write'] : ['look'] },
      },
    }),
    caps: { ...CAPS, side_effects_max: is('budget') ? 10 : 0 },
    options: { limits: { onEscalate: 'end' } },
  };
  const bench = rig(options);
  const outcome = await bench.invoke();
  expect(bench.dispatches).toEqual([]);
  if (outcome.status === 'awaiting_gate') return 'awaiting_gate';
  const [verified] = eventsOf(await bench.events(outcome.runId), 'plan_verified');
  return verified?.problems[0]?.code ?? 'nothing';
}

verifies(
  ID,
  'rejects a call that violates every check for the first one, and for the next one each time one is fixed',
  async () => {
    expect([
      await firstProblem(),
      await firstProblem('registry'),
      await firstProblem('registry', 'schema'),
      await firstProblem('registry', 'schema', 'permission'),
      await firstProblem('registry', 'schema', 'permission', 'budget'),
      await firstProblem('registry', 'schema', 'permission', 'budget', 'approval'),
    ]).toEqual([
      'hallucinated_capability',
      'argument_invalid',
      'tool_not_allowed',
      'budget_projection_exceeded',
      'approval_missing',
      'awaiting_gate',
    ]);
  },
);

verifies(ID, 'checks in the same order in the gateway, right before the dispatch', () => {
  const spec = toolSpec('write', { ...WRITE, gates: [], limits: { rate: { calls: 1, per_ms: 600_000 } } });
  const gateway = createGateway({
    tools: { call: () => Promise.reject(new Error('nothing is sent here')) },
    infrastructure: { permits: () => ({ ok: false, reason: 'no way out' }) },
    files: {
      realPath: () => null,
      home: () => null,
      isFolder: () => false,
      isSpecial: () => false,
      text: () => null,
      digest: () => null,
      hasOtherNames: () => false,
      within: () => {
        throw new Error('there are no files');
      },
    },
    breakers: BREAKER_LIMITS,
    clock: { nowMs: () => START_MS },
    timer: { until: () => Promise.resolve() },
    hash: sha256,
  });
  const token = {
    actor: 'agt_worker',
    tenant_id: 'tenant_a',
    allowed_tools: ['write'],
    approval_authority: 'destructive',
    expires_at: START_MS + 1,
  } as unknown as ProposedCall['token'];
  const bounds = { allowed: ['write'], needs_approval: [], mode_max: 'destructive', risk_max: 'critical' } as const;
  const wrong: Omit<ProposedCall, 'spec' | 'mode'> = {
    run: { runId: 'run_1', tenantId: 'tenant_a', agent: 'worker' },
    step: { id: 'a', tool: 'write' },
    args: { n: 'one' },
    argsHash: 'sha256:1',
    attempt: 1,
    origin: CLEAN,
    token: null,
    now: START_MS,
    rules: { bounds: { ...bounds, untrusted_arguments: 'shown' }, risk: 'low', approvals: [] },
    check: ({ n }) => (typeof n === 'number' ? [] : [{ code: 'argument_invalid', path: '/n', message: 'no number' }]),
  };
  const refusedBy = (spec_: typeof spec | undefined, changes: Partial<ProposedCall>): string => {
    const event = authorizeStep({ ...wrong, ...changes, spec: spec_ }, gateway.layers);
    return event.type === 'step_refused' ? event.layer : event.type;
  };
  const args = { n: 1 };
  // Another step takes the only rate slot; the same step would keep its own.
  refusedBy(spec, { step: { id: 'b', tool: 'write' }, args, token });
  const free = toolSpec('write', WRITE);
  const { limits: _, ...ungated } = spec;
  expect([
    refusedBy(undefined, {}),
    refusedBy(spec, {}),
    refusedBy(spec, { args }),
    refusedBy(spec, { args, token }),
    refusedBy(ungated, { args, token }),
    refusedBy(free, { args, token }),
  ]).toEqual(['registry', 'schema', 'permission', 'budget', 'risk', 'infrastructure']);
});
