/** Policy decisions in a run: denied by default, forbid overrides approval, and errors deny. */
import { describe, expect, test } from 'vitest';
import type { PolicyRequest } from '../../../src/model/policy/policy-request.ts';
import type { Authorizer } from '../../../src/ports/authorizer.ts';
import { verifies } from '../../requirements/verifies.ts';
import { decidedAbout } from '../endings/turns.ts';
import { operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';
import { CHANGES, cedar, codeAuthorizer, eventsOf, PERMIT_ALL, WAITING } from './bench.ts';

const ID = 'gateway:permission:unauthorized-fails-closed';

function rigWithPolicy(calls: Authorizer, more: RigOptions = {}): Rig {
  const plan = planOf([{ id: 'a', tool: 'pay', params: { amount: 5 } }]);
  return rig({
    tools: { pay: { ...CHANGES, produces: ['done'] } },
    plans: [plan, plan],
    ...more,
    world: { ...more.world, policy: { calls, ...more.world?.policy } },
  });
}

const codeOf = ({ suspended, terminalCode }: Awaited<ReturnType<Rig['invoke']>>): string | null =>
  suspended?.code ?? terminalCode;

verifies(ID, 'denies an unpermitted plan, without replanning', async () => {
  const bench = rigWithPolicy(cedar('@id("other") permit (principal, action, resource == Ambit::Tool::"look");'));
  const outcome = await bench.invoke();
  const events = await bench.events(outcome.runId);
  expect(codeOf(outcome)).toBe('PERMISSION_DENIED');
  expect(eventsOf(events, 'plan_verified')).toMatchObject([
    {
      verdict: 'reject',
      problems: [
        {
          code: 'permission_denied',
          step_id: 'a',
          path: '/steps/0',
          message: expect.stringContaining('no policy permits it'),
        },
      ],
    },
  ]);
  expect(bench.planner.requests).toHaveLength(1);
  expect(bench.dispatches).toEqual([]);
});

const LOOK_THEN_PAY: RigOptions = {
  tools: { look: {}, pay: { ...CHANGES, produces: ['done'] } },
  plans: [
    planOf([
      { id: 'a', tool: 'look' },
      { id: 'b', tool: 'pay', depends_on: ['a'], params: { amount: { $from: 'a', path: '/ok' } } },
    ]),
  ],
};

const knowsAmount = ({ context }: PolicyRequest): boolean => 'arguments' in context && 'amount' in context.arguments;

verifies(ID, 'denies a call that is forbidden only at dispatch, without varying its arguments', async () => {
  const rules = codeAuthorizer((request) => (knowsAmount(request) ? 'forbid' : 'permit'));
  const bench = rigWithPolicy(rules, LOOK_THEN_PAY);
  const outcome = await bench.invoke();
  const refused = eventsOf(await bench.events(outcome.runId), 'step_refused');
  expect(codeOf(outcome)).toBe('PERMISSION_DENIED');
  expect(refused).toMatchObject([
    { step_id: 'b', layer: 'permission', code: 'permission_denied', policy: { effect: 'forbid' } },
  ]);
  expect(bench.planner.requests).toHaveLength(1);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
});

verifies(ID, 'an engine that throws denies', async () => {
  const broken: Authorizer = {
    version: 'broken@1',
    decide: () => {
      throw new RangeError('out of memory');
    },
  };
  const bench = rigWithPolicy(broken);
  const outcome = await bench.invoke();
  const [verified] = eventsOf(await bench.events(outcome.runId), 'plan_verified');
  expect(codeOf(outcome)).toBe('PERMISSION_DENIED');
  expect(verified?.policy).toMatchObject([
    { decision: { effect: 'forbid', errors: ['the policy engine failed: out of memory'] } },
  ]);
  expect(bench.dispatches).toEqual([]);
});

const ASK = '@id("ask") @gate("GATE_A") permit (principal, action, resource);';

async function invokeApproved(text: string): Promise<{ readonly bench: Rig; readonly code: string | null }> {
  const bench = rigWithPolicy(cedar(text));
  const waiting = await bench.invoke();
  expect(waiting).toMatchObject(WAITING);
  const [gate] = eventsOf(await bench.events('run_1'), 'gate_opened');
  if (gate === undefined) throw new Error('no gate was opened');
  const answer = { packetHash: gate.packet_hash, credential: operator('lead_1'), reason: 'seen' };
  return { bench, code: codeOf(await bench.settle(bench.runtime.approve(gate.gate_id, answer))) };
}

describe('an approval', () => {
  test('opens the gate that a policy requires', async () => {
    const { bench, code } = await invokeApproved(ASK);
    expect(code).toBe('SUCCESS');
    expect(bench.dispatches).toHaveLength(1);
    const decided = decidedAbout(await bench.events('run_1'));
    expect(decided.map((policy) => policy?.gates)).toEqual([['GATE_A'], ['GATE_A']]);
    expect((await bench.runtime.records.replay('run_1')).turns).not.toEqual([]);
  });

  test('does not override a forbid', async () => {
    const { bench, code } = await invokeApproved(
      `${ASK} @id("frozen") forbid (principal, action == Ambit::Action::"call_tool", resource) when { context.approvals.contains("GATE_A") };`,
    );
    expect(code).toBe('PERMISSION_DENIED');
    expect(eventsOf(await bench.events('run_1'), 'step_refused')).toMatchObject([
      { policy: { determining: ['frozen'] } },
    ]);
    expect(bench.dispatches).toEqual([]);
  });
});

describe('a decision', () => {
  test('stands for an unchanged call, and is made again for a changed one', async () => {
    const rules = codeAuthorizer(() => 'permit');
    const bench = rigWithPolicy(rules, LOOK_THEN_PAY);
    const { runId, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('SUCCESS');
    expect(eventsOf(await bench.events(runId), 'step_cleared')).toMatchObject([
      { step_id: 'a', policy: 'as_planned' },
      { step_id: 'b', policy: { effect: 'permit' } },
    ]);
    const tools = rules.requests.map(({ resource }) => resource.name);
    expect(tools).toEqual(['look', 'pay', 'pay']);
    expect(rules.requests.map(({ context }) => 'pending' in context && context.pending)).toEqual([[], ['/amount'], []]);
  });

  test('is in the manifest by version and in the journal by policy', async () => {
    const rules = cedar(PERMIT_ALL);
    const bench = rigWithPolicy(rules);
    const { runId } = await bench.invoke();
    const events = await bench.events(runId);
    expect(eventsOf(events, 'run_initialized')).toMatchObject([
      { manifest: { policy_version: `no_rules@1/${rules.version}` } },
    ]);
    expect(decidedAbout(events)).toMatchObject([
      {
        effect: 'permit',
        determining: ['all'],
        version: rules.version,
        context_hash: expect.stringMatching(/^sha256:/),
      },
    ]);
  });

  test('made with the plan is recorded there, and a new one with its call', async () => {
    const rules = cedar(
      '@id("r") permit (principal, action == Ambit::Action::"call_tool", resource) unless { context.pending.containsAll(["/of", "/x"]) };',
    );
    const bench = rig({
      tools: { look: {}, act: { produces: ['done'] } },
      plans: [
        planOf([
          { id: 'a', tool: 'look' },
          { id: 'b', tool: 'act', depends_on: ['a'], params: { of: { $from: 'a', path: '/ok' } } },
        ]),
      ],
      world: { policy: { calls: rules } },
    });
    const { runId, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('SUCCESS');
    const events = await bench.events(runId);
    const [first, second] = eventsOf(events, 'step_cleared').map(({ policy }) => policy);
    expect(first).toBe('as_planned');
    expect(second).toMatchObject({ effect: 'permit', version: rules.version });
    const { validation_results } = await bench.runtime.records.trace(runId);
    const asked = validation_results.filter(({ validator_id }) => validator_id === rules.version);
    expect(asked.map(({ step_id }) => step_id)).toEqual(['a', 'b']);
    await bench.runtime.records.replay(runId);
  });

  test('of other policies is not replayed', async () => {
    const bench = rigWithPolicy(codeAuthorizer(() => 'permit'));
    const { runId } = await bench.invoke();
    const other = rigWithPolicy(cedar(PERMIT_ALL), { world: { journal: bench.journal } });
    await expect(other.runtime.records.replay(runId)).rejects.toMatchObject({ code: 'replay_input_missing' });
  });

  test('that changes on replay is reported with its step', async () => {
    let dispatched = 0;
    const fickle = codeAuthorizer((request) => (knowsAmount(request) && ++dispatched > 1 ? 'forbid' : 'permit'));
    const bench = rigWithPolicy(fickle, LOOK_THEN_PAY);
    const { runId, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('SUCCESS');
    await expect(bench.runtime.records.replay(runId)).rejects.toMatchObject({
      code: 'replay_divergence',
      message: expect.stringContaining('the policy decides otherwise about b: recorded permit, derived forbid'),
    });
  });
});

describe('a candidate', () => {
  const STRICT = '@id("strict") forbid (principal, action, resource);';

  test('is recorded where it differs, and decides nothing', async () => {
    const candidate = cedar(STRICT);
    const bench = rigWithPolicy(cedar(PERMIT_ALL), { world: { policy: { candidate } } });
    const outcome = await bench.invoke();
    expect(outcome.terminalCode).toBe('SUCCESS');
    expect(eventsOf(await bench.events(outcome.runId), 'step_cleared')).toMatchObject([
      {
        policy: { effect: 'permit', shadow: { effect: 'forbid', determining: ['strict'], version: candidate.version } },
      },
    ]);
    expect((await bench.runtime.records.replay(outcome.runId)).turns).not.toEqual([]);
    const without = rigWithPolicy(cedar(PERMIT_ALL), { world: { journal: bench.journal } });
    expect((await without.runtime.records.replay(outcome.runId)).turns).not.toEqual([]);
  });

  test('that agrees leaves no record', async () => {
    const bench = rigWithPolicy(cedar(PERMIT_ALL), {
      world: { policy: { candidate: cedar(`${PERMIT_ALL} // the same`) } },
    });
    const { runId } = await bench.invoke();
    expect(eventsOf(await bench.events(runId), 'step_cleared')).toMatchObject([{ policy: 'as_planned' }]);
    expect(decidedAbout(await bench.events(runId))[0]).not.toHaveProperty('shadow');
  });

  test('needs active policies', () => {
    const alone = (): Rig => rig({ tools: { pay: {} }, world: { policy: { candidate: cedar(STRICT) } } });
    expect(alone).toThrow(/compared with world\.policy\.calls/);
  });
});

test('judges a dispatcher by the tool it calls', async () => {
  const forbidPay = `${PERMIT_ALL} @id("no_pay") forbid (principal, action, resource == Ambit::Tool::"pay");`;
  const bench = rigWithPolicy(cedar(forbidPay), {
    tools: {
      dispatch: { produces: ['done'], unwrap: { tool: '/tool', args: '/args' } },
      pay: { ...CHANGES },
    },
    plans: [planOf([{ id: 'a', tool: 'dispatch', params: { tool: 'pay', args: { amount: 5 } } }])],
  });
  expect(codeOf(await bench.invoke())).toBe('PERMISSION_DENIED');
  expect(bench.dispatches).toEqual([]);
});

test('judges a dispatcher by itself while its target is unknown', async () => {
  const args = { $from: 'a', path: '/args' };
  const sentUnder = async (policies: string): Promise<readonly string[]> => {
    const bench = rigWithPolicy(cedar(policies), {
      tools: {
        look: { execute: () => ({ args: { amount: 5 } }) },
        dispatch: { produces: ['done'], unwrap: { tool: '/tool', args: '/args' } },
        find: {},
      },
      plans: [
        planOf([
          { id: 'a', tool: 'look' },
          { id: 'b', tool: 'dispatch', params: { tool: 'find', args }, depends_on: ['a'] },
        ]),
      ],
    });
    await bench.invoke();
    return bench.dispatches.map(({ tool }) => tool);
  };
  expect(await sentUnder(PERMIT_ALL)).toEqual(['look', 'dispatch']);
  const forbidIt = `${PERMIT_ALL} @id("no_dispatch") forbid (principal, action, resource == Ambit::Tool::"dispatch");`;
  expect(await sentUnder(forbidIt)).toEqual([]);
});

describe('gate decisions', () => {
  const LEADS = `${ASK} @id("leads") @reason("gates are for leads") forbid (principal, action == Ambit::Action::"decide_gate", resource)
    unless { principal in Ambit::Role::"lead" };`;

  test('are subject to policies as well', async () => {
    const bench = rigWithPolicy(cedar(LEADS));
    await bench.invoke();
    const [gate] = eventsOf(await bench.events('run_1'), 'gate_opened');
    const decided = (roles: readonly string[]): Promise<unknown> => {
      const answer = { packetHash: gate?.packet_hash ?? '', credential: operator('ana', roles), reason: 'seen' };
      return bench.settle(bench.runtime.approve(gate?.gate_id ?? '', answer));
    };
    await expect(decided(['clerk'])).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining('gates are for leads'),
    });
    expect(bench.dispatches).toEqual([]);
    expect(await decided(['lead'])).toMatchObject({ terminalCode: 'SUCCESS' });
    expect((await bench.runtime.records.replay('run_1')).turns).not.toEqual([]);
  });
});

test('records a decision that several steps share once, and applies it to each', async () => {
  const bench = rig({
    tools: { look: {}, finish: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'look', params: { at: 1 } },
        { id: 'b', tool: 'look', params: { at: 2 } },
        { id: 'c', tool: 'finish', params: {} },
      ]),
    ],
    world: { policy: { calls: cedar('@id("all") permit (principal, action, resource);') } },
  });
  const { runId, terminalCode } = await bench.invoke();
  const events = await bench.events(runId);
  expect(terminalCode).toBe('SUCCESS');
  expect(eventsOf(events, 'plan_verified')[0]?.policy).toMatchObject([
    { step_id: 'a', decision: { effect: 'permit' } },
    { step_id: 'b', as: 'a' },
    { step_id: 'c', decision: { effect: 'permit' } },
  ]);
  const [first, second, third] = decidedAbout(events).map((policy) => policy?.context_hash);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
  await bench.runtime.records.replay(runId);
});
