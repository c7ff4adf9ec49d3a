/** Tests that every rule of an inner tool also holds for a dispatcher tool that calls it. */
import { expect, test } from 'vitest';
import { PASS, type ProposedCall } from '../../../src/gateway/layers/layer.ts';
import type { DecisionSpec } from '../../../src/model/critic/decision.ts';
import { CLEAN } from '../../../src/model/evidence/origin.ts';
import { authorizeStepCall } from '../../../src/session/perform/authorize-call.ts';
import { before, partsOf } from '../graphs/kernel.ts';
import { CAPS, planOf, type RigOptions, rig } from '../rig.ts';

const UNWRAP = { tool: '/tool', args: '/args' };
const through = (tool: string, id = 's1'): ReturnType<typeof planOf>['steps'][number] => ({
  id,
  tool: 'run',
  params: { tool, args: { n: id } },
});

const shop = (pay: NonNullable<RigOptions['tools']>[string], run: RigOptions['tools'] = {}): RigOptions => ({
  tools: {
    run: { unwrap: UNWRAP, trusted: true, retries_max: 2, ...run['run'] },
    pay: { side_effect: true, approval_mode: 'local_write', idempotency: { kind: 'none' }, ...pay },
    finish: { produces: ['done'] },
  },
  plans: [planOf([through('pay'), { id: 'last', tool: 'finish', depends_on: ['s1'] }])],
});

test('a kill switch on the inner tool stops the call', async () => {
  const bench = rig(shop({}));
  await bench.runtime.killSwitches.throw({ scope: { tool: 'pay' }, by: 'ana', reason: 'wrong account' });
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'kill_switch_on' });
  expect(bench.dispatches).toEqual([]);
});

test('a dispatcher is not retried if its inner tool cannot be repeated', async () => {
  const bench = rig(shop({}, { run: { timeout_ms: 1_000, execute: () => new Promise(() => undefined) } }));
  const run = await bench.invoke();
  expect(run.status).toBe('paused');
  expect(bench.dispatches).toHaveLength(1);
  const escalated = (await bench.events(run.runId)).find(({ type }) => type === 'run_escalated');
  expect(escalated).toMatchObject({ stop: { reason: 'call_in_doubt' } });
});

test('a side effect of the inner tool counts against side_effects_max', async () => {
  const options = shop({});
  const steps = ['a', 'b', 'c'].map((id) => through('pay', id));
  const bench = rig({ ...options, caps: { ...CAPS, side_effects_max: 1 }, plans: [planOf(steps)] });
  const run = await bench.invoke();
  expect(bench.dispatches).toHaveLength(1);
  expect((await bench.events(run.runId)).at(-1)).toMatchObject({
    stop: { code: 'BUDGET_EXHAUSTED', detail: { dimension: 'side_effects' } },
  });
});

test('a result of an untrusted inner tool is untrusted', async () => {
  const bench = rig(shop({ trusted: false, side_effect: false, approval_mode: 'read_only' }));
  const run = await bench.invoke();
  const { state } = await bench.runtime.records.replay(run.runId);
  expect(state.planning.exposed).toBe(true);
});

test('the concurrency limit of the inner tool applies', async () => {
  let out = 0;
  let most = 0;
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const plan = planOf([through('pay')]);
  const options = shop(
    { limits: { concurrency: 2 }, side_effect: false, approval_mode: 'read_only', trusted: true },
    {
      run: {
        produces: ['done'],
        execute: async () => {
          out += 1;
          most = Math.max(most, out);
          if (out === 2) open();
          await opened;
          out -= 1;
          return { ok: true };
        },
      },
    },
  );
  const bench = rig({ ...options, plans: [plan, plan, plan, plan] });
  await Promise.all(Array.from({ length: 4 }, () => bench.invoke()));
  expect(bench.dispatches).toHaveLength(4);
  expect(most).toBe(2);
});

test('the schema, the decisions and the tripped breaker of the inner tool apply', async () => {
  const decision: DecisionSpec = {
    decision_id: 'shop.pay',
    version: '1',
    description: 'Whether to pay',
    evidence: [],
    approvals: ['GATE_PAY'],
    controls: [],
    evaluators: [],
    accept_threshold: 0.8,
    risk_class: 'low',
    actions: ['pay'],
  };
  const step = { ...through('pay'), requires: ['GATE_PAY'] };
  const options: RigOptions = {
    ...shop({ input_schema: { type: 'object', properties: { n: { type: 'string' } } } }),
    plans: [planOf([step], { decision_checkpoints: [{ decision_id: 'shop.pay', after_step: 's1' }] })],
    options: { decisions: [decision] },
  };
  const bench = rig(options);
  const events = await bench.events((await bench.invoke()).runId);
  const { pins } = partsOf(options);
  const state = before(pins.env, events, 'step_cleared');
  const until = state.now + 1_000;
  const trippedState = { ...state, work: { ...state.work, tripped: { pay: { times: 1, until } } } };
  const asked: ProposedCall[] = [];
  const look = (call: ProposedCall): typeof PASS => {
    asked.push(call);
    return PASS;
  };
  const args = { tool: 'pay', args: { n: 's1' } };
  const call = { step_id: 's1', tool: 'run', args, args_hash: 'sha256:0', attempt: 1, origin: CLEAN } as const;
  authorizeStepCall(pins, [look], trippedState, { kind: 'clear_step', ...call });
  expect(asked.map(({ spec, rules }) => [spec.name, rules.approvals, rules.trippedUntil])).toEqual([
    ['run', [], undefined],
    ['pay', ['GATE_PAY'], until],
  ]);
  expect(asked.map(({ check }) => check({ n: 7 }).map(({ path }) => path))).toEqual([[], ['/n']]);
});
