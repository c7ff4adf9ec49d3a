/** Tests that a declared tool is called with exactly the arguments that were hashed, shown and approved. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { ambit } from '../../../src/compose.ts';
import { tool } from '../../../src/gateway/tool/tool.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { address } from '../../../src/model/json/hash.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import type { BoundTool } from '../../../src/ports/bound-tool.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, operator, planOf, REQUEST, rig } from '../rig.ts';

const eventsOf = async (runtime: ReturnType<typeof ambit>, runId: string): Promise<readonly RunEvent[]> =>
  (await runtime.records.frames(runId)).flatMap(({ events }) => JSON.parse(events) as RunEvent[]);

function runtimeOf(tools: readonly BoundTool[], plans: readonly Plan[]): ReturnType<typeof ambit> {
  const names = tools.map(({ spec }) => spec.name);
  return ambit({ agent: agentFor(names), tools, planner: scriptedPlanner(plans) });
}

describe('schema defaults are filled in once', () => {
  const withDefaults: JsonObject = { cents: 5, method: 'card' };
  const plan = planOf([{ id: 'a', tool: 'pay', params: { cents: 5 } }]);
  const pay = (approvalMode: 'local_write' | 'destructive', received: unknown[] = []): BoundTool =>
    tool({
      name: 'pay',
      description: 'Pay',
      approvalMode,
      inputSchema: z.object({ cents: z.int(), method: z.enum(['card', 'voucher']).default('card') }),
      outputSchema: z.object({ ok: z.boolean() }),
      execute: (input) => {
        received.push(input);
        return { ok: true };
      },
      effects: { produces: ['done'], idempotency: { kind: 'key', retentionMs: 86_400_000 } },
      risk: { gates: approvalMode === 'destructive' ? ['GATE_FINANCE'] : [] },
    });

  test('the tool receives the parameters that the approver saw', async () => {
    const received: unknown[] = [];
    const gated = planOf(plan.steps.map((step) => ({ ...step, requires: ['GATE_FINANCE'] })));
    const runtime = runtimeOf([pay('destructive', received)], [gated]);
    const waiting = await runtime.invoke(REQUEST);
    const { gateId = '', packetHash = '' } = waiting.pending[0] ?? {};
    expect(await runtime.gates.packet(packetHash)).toMatchObject({ parameters: withDefaults });
    const done = await runtime.approve(gateId, { packetHash, credential: operator('user_lead'), reason: 'fine' });
    expect(done.terminalCode).toBe('SUCCESS');
    expect(received).toEqual([withDefaults]);
  });

  test('parameters that an approver edits get the defaults, too', async () => {
    const received: unknown[] = [];
    const gated = planOf(plan.steps.map((step) => ({ ...step, requires: ['GATE_FINANCE'] })));
    const runtime = runtimeOf([pay('destructive', received)], [gated]);
    const { gateId = '', packetHash = '' } = (await runtime.invoke(REQUEST)).pending[0] ?? {};
    const edited = { packetHash, credential: operator('user_lead'), reason: 'less', parameters: { cents: 4 } };
    const again = (await runtime.gates.edit(gateId, edited)).pending[0];
    expect(await runtime.gates.packet(again?.packetHash ?? '')).toMatchObject({
      parameters: { cents: 4, method: 'card' },
    });
  });

  test('the tool receives the arguments that were hashed, and a replay derives the same hash', async () => {
    const received: unknown[] = [];
    const runtime = runtimeOf([pay('local_write', received)], [plan]);
    const done = await runtime.invoke(REQUEST);
    expect(done.terminalCode).toBe('SUCCESS');
    expect(received).toEqual([withDefaults]);
    const hash = address(sha256, withDefaults);
    const events = await eventsOf(runtime, done.runId);
    expect(events.find(({ type }) => type === 'step_cleared')).toMatchObject({ args: withDefaults, args_hash: hash });
    await runtime.records.replay(done.runId);
  });
});

test('refuses arguments that fail a schema refinement beyond JSON Schema, and records the refusal', async () => {
  let ran = false;
  const send = tool({
    name: 'send',
    description: 'Send',
    approvalMode: 'read_only',
    inputSchema: z.object({ to: z.string().refine((to) => to.endsWith('@example.com'), 'is not one of us') }),
    outputSchema: z.object({}),
    execute: () => {
      ran = true;
      return {};
    },
    effects: { produces: ['done'] },
  });
  const runtime = runtimeOf([send], [planOf([{ id: 'a', tool: 'send', params: { to: 'x@elsewhere' } }])]);
  const outcome = await runtime.invoke(REQUEST);
  const refused = (await eventsOf(runtime, outcome.runId)).find(({ type }) => type === 'step_refused');
  expect(refused).toMatchObject({ layer: 'schema', code: 'argument_invalid', message: '/to is not one of us' });
  expect(ran).toBe(false);
  await runtime.records.replay(outcome.runId);
});

verifies(
  'gateway:types:typed-call-and-result',
  'fails a step whose result breaks the output schema, and does not pass the result on',
  async () => {
    const broken = rig({
      tools: {
        odd: {
          produces: ['done'],
          output_schema: { type: 'object', required: ['n'] },
          execute: () => ({ word: 'unverified' }),
        },
      },
      plans: Array.from({ length: 4 }, (_, n) => planOf([{ id: 'a', tool: 'odd', params: { n } }])),
    });
    const outcome = await broken.invoke();
    const events = await broken.events(outcome.runId);
    const verified = events.find((event) => event.type === 'step_verified');
    expect(verified).toMatchObject({ ok: false, problems: [expect.objectContaining({ code: 'tool_result_invalid' })] });
    expect(events.some(({ type }) => type === 'step_committed')).toBe(false);
    expect(outcome.terminalCode).not.toBe('SUCCESS');
    expect(JSON.stringify([broken.planner.requests, outcome])).not.toContain('unverified');
  },
);

verifies(
  'gateway:route:single-path',
  'records exactly one intent and one observation for every call that reaches a tool',
  async () => {
    const bench = rig({
      tools: { read: {}, look: {}, finish: { produces: ['done'] } },
      plans: [
        planOf([
          { id: 'a', tool: 'read', params: { n: 1 } },
          { id: 'b', tool: 'look', params: { of: { $from: 'a', path: '/ok' } }, depends_on: ['a'] },
          { id: 'c', tool: 'read', params: { n: 2 }, depends_on: ['b'] },
          { id: 'd', tool: 'finish', depends_on: ['c'] },
        ]),
      ],
    });
    const outcome = await bench.invoke();
    expect(outcome.terminalCode).toBe('SUCCESS');
    const events = await bench.events(outcome.runId);
    const attempted = events.filter((event) => event.type === 'step_attempted');
    const cleared = events.filter((event) => event.type === 'step_cleared');
    const observed = events.filter((event) => event.type === 'step_observed');
    expect(attempted.map(({ idempotency_key }) => idempotency_key)).toEqual(bench.dispatches.map(({ key }) => key));
    expect(cleared.map(({ args }) => args)).toEqual(bench.dispatches.map(({ args }) => args));
    expect(observed.map(({ call_id }) => call_id)).toEqual(attempted.map(({ call_id }) => call_id));
    expect(new Set(attempted.map(({ idempotency_key }) => idempotency_key)).size).toBe(4);
  },
);

describe('the approval mode of a tool', () => {
  const write = { approval_mode: 'destructive', side_effect: true, gates: ['GATE_X'], produces: ['done'] } as const;

  verifies(
    'toolpolicy:classification:unknown-risk-is-highest',
    'is required: a tool without one is not registered',
    () => {
      const { approval_mode: _, ...unclassified } = tool({
        name: 'a',
        description: 'a',
        approvalMode: 'read_only',
        inputSchema: {},
        outputSchema: {},
        execute: () => null,
      }).spec;
      const bound = { spec: unclassified as never, execute: () => null };
      expect(() => runtimeOf([{ ...bound, spec: { ...unclassified, name: 'a' } as never }], [])).toThrow(
        /approval_mode/,
      );
      expect(() =>
        tool({ name: 'a', description: 'a', inputSchema: {}, outputSchema: {}, execute: () => null } as never),
      ).toThrow(expect.objectContaining({ code: 'approval_mode_undeclared' }));
    },
  );

  verifies(
    'toolpolicy:classification:unknown-risk-is-highest',
    'cannot be lowered by a plan that calls a write a read',
    async () => {
      const bench = rig({
        tools: { write },
        plans: [planOf([{ id: 'a', tool: 'write', approval_mode: 'read_only', requires: ['GATE_X'] }])],
      });
      const outcome = await bench.invoke();
      expect(bench.dispatches).toEqual([]);
      const verdict = (await bench.events(outcome.runId)).find((event) => event.type === 'plan_verified');
      expect(verdict).toMatchObject({ problems: [expect.objectContaining({ code: 'approval_mode_mismatch' })] });
    },
  );
});
