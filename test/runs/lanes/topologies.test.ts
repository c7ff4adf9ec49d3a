/** Tests the topologies of cooperating agents. */
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../../src/agent/agent.ts';
import type { LaneTool } from '../../../src/agent/lane.ts';
import { workspace } from '../../../src/agent/workspace.ts';
import { tool } from '../../../src/gateway/tool/tool.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import type { BoundTool, ToolContext } from '../../../src/ports/bound-tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type RigTool } from '../rig.ts';
import { benchAgent, benchLane, LANE_BUDGET, laneRig } from './bench.ts';

const LANE_CAPS = { ...CAPS, lanes_max: 10, replan_attempts_max: 2 };
const step = (id: string, name: string, more: Partial<PlanStep> = {}): PlanStep => ({ id, tool: name, ...more });
const WRITES = { ...LANE_BUDGET, sideEffectsMax: 2 };

/** An agent of the bench with additional tools. */
function withTools(agent: Agent, added: readonly BoundTool[], done: string): Agent {
  const names = added.map(({ spec }) => spec.name);
  const { boundary, access, intents } = agent.spec;
  const spec: AgentSpec = {
    ...agent.spec,
    intents: intents.map((intent) => ({
      ...intent,
      criteria: [{ id: 'finished', statement: 'It is done.', rank: 'primary', evidence: done }],
    })),
    boundary: { ...boundary, tools: { ...boundary.tools, allowed: [...boundary.tools.allowed, ...names] } },
    access: {
      ...access,
      tool_scopes: { ...access.tool_scopes, ...Object.fromEntries(names.map((name) => [name, ['all']])) },
    },
  };
  return { ...agent, spec, tools: [...agent.tools, ...added] };
}

const member = (name: string, added: readonly BoundTool[], plan: readonly PlanStep[], done: string): Agent =>
  withTools(benchAgent({ name, tools: {}, plans: [planOf(plan)] }), added, done);

describe('a blackboard', () => {
  const board = () => workspace({ name: 'board', keys: { plan: 'planner', findings: 'researcher', notes: null } });
  const context = (idempotencyKey: string): ToolContext =>
    ({ idempotencyKey, signal: new AbortController().signal }) as ToolContext;

  verifies(
    'topology:blackboard-swarm:budgeted-and-nonproduction-default',
    'rejects the second of two writes on the same version and overwrites nothing',
    async () => {
      const [read, write] = board().tools('planner');
      const place = { board: 'case_1', key: 'notes' };
      const first = await write.execute({ ...place, value: 'mine', base_version: 0 }, context('k1'));
      expect(first).toEqual({ key: 'notes', value: 'mine', version: 1 });
      const second = async () => await write.execute({ ...place, value: 'theirs', base_version: 0 }, context('k2'));
      await expect(second()).rejects.toMatchObject({ code: 'workspace_conflict' });
      expect(await read.execute(place, context('k3'))).toEqual(first);
      // A repeated write with the same key is no conflict.
      expect(await write.execute({ ...place, value: 'mine', base_version: 0 }, context('k1'))).toEqual(first);
    },
  );

  test('lets only the role of a key write it', async () => {
    const shared = board();
    const [, write] = shared.tools('researcher');
    const intrusion = async () =>
      await write.execute({ board: 'b', key: 'plan', value: 1, base_version: 0 }, context('k'));
    await expect(intrusion()).rejects.toMatchObject({ code: 'permission_denied' });
    expect(() => workspace({ name: 'n', keys: { a: 'x' } }).tools('y')).toThrow(/workspace n has no role y/);
  });

  test('in memory, is empty for the next process, which rejects writes on old versions', async () => {
    const place = { board: 'case_1', key: 'notes' };
    const [, before] = board().tools('planner');
    await before.execute({ ...place, value: 'mine', base_version: 0 }, context('k1'));
    const [read, write] = board().tools('planner');
    expect(await read.execute(place, context('k2'))).toEqual({ key: 'notes', value: null, version: 0 });
    const upon = async () => await write.execute({ ...place, value: 'more', base_version: 1 }, context('k3'));
    await expect(upon()).rejects.toMatchObject({
      code: 'workspace_conflict',
      message: 'notes is at version 0 by now, and this was made from 1: read it again',
    });
  });

  test('passes values between lanes through the gateway', async () => {
    const shared = board();
    const on = { board: 'case_2' };
    const planner = member(
      'planner',
      shared.tools('planner'),
      [step('w', 'board.planner.write', { params: { ...on, key: 'plan', value: 'look north', base_version: 0 } })],
      'board.planner.write',
    );
    const researcher = member(
      'researcher',
      shared.tools('researcher'),
      [step('r', 'board.researcher.wait', { params: { ...on, key: 'plan' } })],
      'board.researcher.wait',
    );
    const lanes = [
      benchLane('plans', planner, {
        approvalMode: 'local_write',
        budget: WRITES,
        task: { returns: ['board.planner.write'] },
      }),
      benchLane('finds', researcher, { task: { returns: ['board.researcher.wait'] } }),
    ];
    const boss = benchAgent({
      name: 'boss',
      tools: { finish: { produces: ['done'] } },
      lanes,
      caps: LANE_CAPS,
      plans: [planOf([step('s1', 'finds'), step('s2', 'plans'), step('s3', 'finish', { depends_on: ['s1', 's2'] })])],
    });
    const rig = laneRig([boss], { limits: { parallelSteps: 2 } });
    const run = await rig.invoke();
    expect(run.terminalCode).toBe('SUCCESS');
    const [found] = (await rig.of(run.runId, 'lane_returned')).filter(({ call_id }) => call_id === 'call_1');
    expect(found?.envelope).toMatchObject({ results: [{ value: { value: 'look north', version: 1 } }] });
  });

  verifies(
    'pathology:coordination-failure:no-progress-active-workers',
    'detects two workers that wait for each other, and their supervisor continues without them',
    async () => {
      const shared = board();
      const on = { board: 'case_3' };
      const planner = member(
        'planner',
        shared.tools('planner'),
        [step('a', 'board.planner.wait', { params: { ...on, key: 'findings' } })],
        'board.planner.wait',
      );
      const researcher = member(
        'researcher',
        shared.tools('researcher'),
        [step('b', 'board.researcher.wait', { params: { ...on, key: 'plan' } })],
        'board.researcher.wait',
      );
      const lanes = [
        benchLane('plans', planner, { task: { returns: ['board.planner.wait'] } }),
        benchLane('finds', researcher, { task: { returns: ['board.researcher.wait'] } }),
      ];
      const boss = benchAgent({
        name: 'boss',
        tools: { finish: { produces: ['done'] } },
        lanes,
        caps: LANE_CAPS,
        plans: [
          planOf([step('s1', 'plans'), step('s2', 'finds')]),
          planOf([step('s3', 'finish')], { plan_id: 'plan_2' }),
        ],
      });
      const rig = laneRig([boss], { limits: { parallelSteps: 2 } });
      const began = rig.clock.nowMs();
      const run = await rig.invoke();
      expect(run.terminalCode).toBe('SUCCESS');
      expect(rig.clock.nowMs() - began).toBeLessThan(60_000);
      for (const lane of await rig.lanes(run.runId)) {
        const [observed] = await rig.of(lane, 'step_observed');
        expect(observed?.detail).toMatch(/each waits for the next/);
        expect((await rig.runtime.sessions.get(lane)).status).toBe('failed');
      }
      expect(run.record?.lanes?.map(({ ruling }) => ruling)).toEqual(['rejected', 'dropped']);
      expect(await rig.of(run.runId, 'plan_proposed')).toHaveLength(2);
    },
  );
});

describe('a swarm', () => {
  const look: Readonly<Record<string, RigTool>> = { look: { produces: ['done'] } };
  const swarm =
    (environment: 'sandbox' | 'production', opt_in?: string) =>
    (spec: AgentSpec): AgentSpec => ({
      ...spec,
      autonomy: {
        ...spec.autonomy,
        environment,
        topology: { name: 'specialist_swarm', ...(opt_in === undefined ? {} : { opt_in }) },
      },
    });
  const FULL = {
    stepsMax: 10,
    toolCallsMax: 10,
    externalApiCallsMax: 10,
    inputTokensMax: 2_000,
    outputTokensMax: 2_000,
    wallClockSecondsMax: 100,
    inferenceCostUsdMax: 1,
    retryCountMax: 1,
    reflectionPassesMax: 0,
    contextTokensMax: 10_000,
    memoryWritesMax: 0,
    sideEffectsMax: 0,
    replanAttemptsMax: 0,
    lanesMax: 2,
  } as const;
  const small = {
    ...FULL,
    stepsMax: 3,
    toolCallsMax: 3,
    externalApiCallsMax: 3,
    inputTokensMax: 500,
    outputTokensMax: 500,
    inferenceCostUsdMax: 0.2,
    lanesMax: 0,
  };
  const to = (name: string, peer: string, budget: typeof FULL | typeof small, tools: readonly string[]): LaneTool =>
    benchLane(name, peer, { budget, tools, task: { intent: 'work' } });

  /** Two peers that can delegate to each other: both have both lanes. */
  function peers(change: (spec: AgentSpec) => AgentSpec): readonly Agent[] {
    const shared = toolNamed('look');
    const lanes = [to('ask_bert', 'bert', FULL, ['look', 'ask_anna']), to('ask_anna', 'anna', small, ['look'])];
    const peer = (name: string, plans: readonly unknown[]): Agent =>
      withTools(benchAgent({ name, tools: {}, lanes, caps: LANE_CAPS, plans, change }), [shared], 'done');
    return [
      peer('anna', [planOf([step('a', 'ask_bert')]), planOf([step('z', 'look')], { plan_id: 'plan_2' })]),
      peer('bert', [planOf([step('b', 'ask_anna')])]),
    ];
  }

  const toolNamed = (name: string): BoundTool =>
    tool({
      name,
      description: name,
      approvalMode: 'read_only',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      execute: () => ({ ok: true }),
      effects: { produces: ['done'] },
      risk: { trusted: true },
    });

  verifies(
    'topology:blackboard-swarm:budgeted-and-nonproduction-default',
    'is allowed in a sandbox, and in production only with an opt-in',
    () => {
      const alone = (change: (spec: AgentSpec) => AgentSpec): readonly Agent[] => [
        benchAgent({ name: 'solo', tools: look, plans: [], change }),
      ];
      expect(() => laneRig(alone(swarm('production')))).toThrow(
        expect.objectContaining({ code: 'topology_not_allowed' }),
      );
      expect(() => laneRig(alone(swarm('sandbox')))).not.toThrow();
      expect(() => laneRig(alone(swarm('production', 'ana answers for it until Friday')))).not.toThrow();
      // Only a swarm may delegate to peers by name.
      const named = benchAgent({
        name: 'boss',
        tools: look,
        lanes: [to('ask', 'peer', small, ['look'])],
        plans: [],
        caps: LANE_CAPS,
      });
      expect(() => laneRig([named, benchAgent({ name: 'peer', tools: look, plans: [] })])).toThrow(
        expect.objectContaining({ code: 'topology_not_allowed' }),
      );
    },
  );

  verifies('topology:blackboard-swarm:budgeted-and-nonproduction-default', 'refuses a delegation cycle', async () => {
    const rig = laneRig(peers(swarm('sandbox')));
    const run = await rig.invoke();
    const [bert = ''] = await rig.lanes(run.runId);
    const [refused] = await rig.of(bert, 'step_refused');
    expect(refused).toMatchObject({ layer: 'permission', code: 'delegation_cycle' });
    expect(refused?.message).toContain('anna → bert → anna');
    expect(await rig.lanes(run.runId)).toHaveLength(1);
    expect(await rig.runtime.sessions.get(bert)).toMatchObject({ terminalCode: 'PERMISSION_DENIED' });
    expect(run.terminalCode).toBe('SUCCESS');
  });
});
