/** Deploys under a run that waits at a gate: which changes let it continue, and which ones need a decision. */
import { expect, test } from 'vitest';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { CAPS, DECISION, operator, planOf, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';

const PLAN = planOf([
  { id: 's1', tool: 'look' },
  { id: 's2', tool: 'pay', depends_on: ['s1'], params: { amount: 5 }, requires: ['GATE_OWNER'] },
  { id: 's3', tool: 'report', depends_on: ['s2'] },
]);

const PAY: RigTool = {
  approval_mode: 'destructive',
  side_effect: true,
  gates: ['GATE_OWNER'],
  input_schema: { type: 'object', properties: { amount: { type: 'integer' } } },
  probes: { verify: 'check', compensate: 'refund' },
  probing: {
    verify: { args: ({ args }) => args, expect: () => true },
    compensate: { args: ({ args }) => args },
  },
};

const TOOLS: NonNullable<RigOptions['tools']> = {
  look: {},
  pay: PAY,
  check: {},
  refund: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'] },
  report: { produces: ['done'] },
  spare: {},
};

const BEFORE: RigOptions = { tools: TOOLS, plans: [PLAN], options: { decisions: [DECISION] } };

const withTool = (name: string, change: RigTool): RigOptions => ({
  ...BEFORE,
  tools: { ...TOOLS, [name]: { ...TOOLS[name], ...change } },
});

const without = (name: string): RigOptions => {
  const { [name]: _, ...tools } = TOOLS;
  return { ...BEFORE, tools };
};

/** The process no longer has the probe of `pay`, and `pay` declares none. */
function withoutProbe(): RigOptions {
  const { check: _, ...tools } = TOOLS;
  const { verify: __, ...probes } = PAY.probes ?? {};
  return { ...BEFORE, tools: { ...tools, pay: { ...PAY, probes } } };
}

const withPlanner = (planner: string): RigOptions => ({
  ...BEFORE,
  agent: (agent) => ({
    ...agent,
    pins: { ...agent.pins, model_versions: { ...agent.pins.model_versions, planner } },
  }),
});

const withAgent = (change: (agent: AgentSpec) => AgentSpec): RigOptions => ({ ...BEFORE, agent: change });

const withBoundary = (change: Partial<AgentSpec['boundary']['tools']>): RigOptions =>
  withAgent((agent) => ({
    ...agent,
    boundary: { ...agent.boundary, version: '2', tools: { ...agent.boundary.tools, ...change } },
  }));

const ANY = { type: 'object' };

/** The effect of a migration: there is nothing to accept; the gate asks again; a person decides; no version helps. */
type Migration = 'nothing' | 'asks again' | 'is handed over' | 'is refused';

interface Expected {
  /** The parts that the fault of an approval names; null if the run goes on. */
  readonly parts: readonly string[] | null;
  readonly migration: Migration;
}

const goesOn: Expected = { parts: null, migration: 'nothing' };
/** A tool that the run uses has changed. */
const refused = (...parts: readonly string[]): Expected => ({ parts, migration: 'asks again' });
/** The change is no tool, or leaves no tool to accept. */
const notAccepted = (migration: Migration, ...parts: readonly string[]): Expected => ({ parts, migration });

const DEPLOYS: readonly (readonly [what: string, after: RigOptions, expected: Expected])[] = [
  ['nothing', BEFORE, goesOn],
  ['the code of the awaited tool', withTool('pay', { execute: () => ({ ok: true, fee: 1 }) }), goesOn],
  ['the description of an unused tool', withTool('spare', { description: 'other words' }), goesOn],
  ['the schema of an unused tool', withTool('spare', { input_schema: { ...ANY, required: ['x'] } }), goesOn],
  ['an unused tool is removed', without('spare'), goesOn],
  ['a tool is added', { ...BEFORE, tools: { ...TOOLS, extra: {} } }, goesOn],
  ['the description of a tool that is done', withTool('look', { description: 'other words' }), goesOn],
  ['a tool that is done is removed', without('look'), goesOn],
  [
    'the output schema of a tool that is done',
    withTool('look', { output_schema: { ...ANY, required: ['rate'] } }),
    goesOn,
  ],
  ['an unused tool is renamed', { ...BEFORE, tools: { ...without('spare').tools, other: {} } }, goesOn],
  ['a tool is no longer in the boundary', withBoundary({ allowed: ['look', 'report'] }), goesOn],
  ['the boundary asks for more approvals', withBoundary({ needs_approval: ['report'] }), goesOn],
  [
    'the budget preset',
    withAgent((agent) => ({ ...agent, budget: { ...agent.budget, profile: 'data_analyst' } })),
    goesOn,
  ],
  [
    'the rubric',
    withAgent((agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk: 'high' })) })),
    goesOn,
  ],
  ['the decision catalogue', { ...BEFORE, options: { decisions: [{ ...DECISION, version: '2' }] } }, goesOn],
  ['the graph', { ...BEFORE, options: { ...BEFORE.options, graph: 'supervised' } }, goesOn],
  ['a limit', { ...BEFORE, options: { ...BEFORE.options, limits: { gateTtlMs: 60_000 } } }, goesOn],
  ['the budget', { ...BEFORE, caps: { ...CAPS, steps_max: 1 } }, goesOn],
  ['the approvers of the gate', { ...BEFORE, world: { policy: { gates: { GATE_OWNER: { quorum: 3 } } } } }, goesOn],
  ["the planner's model", withPlanner('another'), goesOn],
  [
    'the description of the awaited tool',
    withTool('pay', { description: 'other words' }),
    refused('pay', '`description`'),
  ],
  [
    'the schema of the awaited tool',
    withTool('pay', { input_schema: { ...ANY, properties: { amount: { type: 'integer', minimum: 1 } } } }),
    refused('pay', '`input_schema`'),
  ],
  [
    'the mode and gates of the awaited tool',
    withTool('pay', { approval_mode: 'network', gates: [] }),
    refused('pay', '`approval_mode`', '`gates`'),
  ],
  [
    'the output schema of the awaited tool',
    withTool('pay', { output_schema: { ...ANY, properties: { ok: { type: 'boolean' } } } }),
    refused('pay', '`output_schema`'),
  ],
  ['the timeout of the awaited tool', withTool('pay', { timeout_ms: 5_000 }), refused('pay', '`timeout_ms`')],
  ['the cost of the awaited tool', withTool('pay', { cost: { ...NO_COST, microusd: 7 } }), refused('pay', '`cost`')],
  ['the trust in the awaited tool', withTool('pay', { trusted: false }), refused('pay', '`trusted`')],
  [
    'the trust in the description of a later tool',
    withTool('report', { source: 'mcp:crm', vouched: 'description' }),
    refused('report', '`source`', '`vouched`'),
  ],
  [
    'an argument that the awaited tool requires',
    withTool('pay', { input_schema: { ...PAY.input_schema, required: ['amount', 'currency'] } }),
    notAccepted('is handed over', 'pay', '`input_schema`'),
  ],
  [
    'another probe for the awaited tool, from its boundary',
    withTool('pay', { probes: { ...PAY.probes, verify: 'spare' } }),
    refused('pay', '`probes`'),
  ],
  [
    'another probe for the awaited tool, outside of its boundary',
    {
      ...BEFORE,
      tools: { ...TOOLS, pay: { ...PAY, probes: { ...PAY.probes, verify: 'check_again' } }, check_again: {} },
    },
    notAccepted('is refused', 'pay', '`probes`', 'check_again, which this run may not use'),
  ],
  [
    'several tools',
    { ...BEFORE, tools: { ...TOOLS, pay: { ...PAY, version: '2' }, report: { ...TOOLS['report'], version: '2' } } },
    refused('pay', 'report', '`version`'),
  ],
  ['the version of the awaited tool', withTool('pay', { version: '2' }), refused('pay', '`version`')],
  [
    'a later tool',
    withTool('report', { output_schema: { ...ANY, required: ['ok'] } }),
    refused('report', '`output_schema`'),
  ],
  [
    'the probe of the awaited tool',
    withTool('check', { description: 'other words' }),
    refused('check', '`description`'),
  ],
  ['the compensation of the awaited tool', withTool('refund', { version: '2' }), refused('refund', '`version`')],
  [
    'a later tool is removed',
    { ...without('report'), tools: { ...without('report').tools, write: { produces: ['done'] } } },
    notAccepted('is handed over', 'report', 'does not exist'),
  ],
  [
    'the awaited tool is renamed',
    { ...BEFORE, tools: { ...without('pay').tools, transfer: PAY } },
    notAccepted('is handed over', 'pay', 'does not exist'),
  ],
  ['the probe of the awaited tool is removed', withoutProbe(), notAccepted('asks again', 'pay', '`probes`', 'check')],
  [
    'a detector is added',
    { ...BEFORE, world: { policy: { detectors: [{ name: 'leak', version: '1', detect: () => null }] } } },
    notAccepted('is refused', 'detectors none', 'leak@1'),
  ],
  [
    'the policy',
    { ...BEFORE, world: { policy: { plans: { version: 'other@1', invariants: () => [] } } } },
    notAccepted('is refused', 'policy', 'other@1'),
  ],
];

/** A run that waits at the gate of `pay`, and the process after the deploy. */
async function deploy(
  after: RigOptions,
  plans: NonNullable<RigOptions['plans']> = [],
): Promise<{ readonly newer: Rig; readonly runId: string; readonly gate: Gate }> {
  const first = rig(BEFORE);
  const { runId, status, pending } = await first.invoke();
  expect(status).toBe('awaiting_gate');
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate is open');
  return { newer: restartProcess(first, { ...after, plans }), runId, gate };
}

interface Gate {
  readonly gateId: string;
  readonly packetHash: string;
}

const answerTo = ({ packetHash }: Gate) => ({ packetHash, credential: operator('owner'), reason: 'looked at it' });

const MIGRATE = { credential: operator('ops'), reason: 'read the new version' };

const RESULTS: Readonly<Record<Migration, string>> = {
  nothing: 'has nothing to accept',
  'asks again': 'closes the gate and asks again',
  'is handed over': 'closes the gate and hands the run over',
  'is refused': 'is refused',
};

const faultOf = async (promise: Promise<unknown>): Promise<Error & { readonly code: string }> =>
  await promise.then(
    () => {
      throw new Error('there was no fault');
    },
    (error: unknown) => error as Error & { readonly code: string },
  );

const approve = async (bench: Rig, { gateId, ...gate }: Gate) =>
  await bench.settle(bench.runtime.approve(gateId, answerTo({ gateId, ...gate })));

for (const [what, after, expected] of DEPLOYS) {
  const title = expected.parts === null ? 'continues' : 'refuses to continue and names the change';
  verifies('resume:deploy:unused-change-does-not-strand', `${what}: ${title}`, async () => {
    const { newer, runId, gate } = await deploy(after);
    if (expected.parts === null) {
      expect(await approve(newer, gate)).toMatchObject({ terminalCode: 'SUCCESS' });
      expect(newer.dispatches.map(({ tool }) => tool)).toEqual(['pay', 'check', 'report']);
      await newer.runtime.records.replay(runId);
      return;
    }
    const fault = await faultOf(approve(newer, gate));
    expect(fault.code).toBe('version_changed');
    for (const part of expected.parts) expect(fault.message).toContain(part);
    expect(fault.message).toContain(`ambit sessions terminate ${runId}`);
    expect(fault.message.includes(`ambit sessions migrate ${runId}`)).toBe(expected.migration !== 'is refused');
    expect(newer.dispatches).toEqual([]);
    const types = (await newer.events(runId)).map(({ type }) => type);
    expect(types).not.toContain('decision_refused');
    expect(types).not.toContain('gate_decided');
    expect(await newer.runtime.sessions.get(runId)).toMatchObject({ status: 'awaiting_gate' });
  });

  verifies(
    'resume:mismatch:operator-migrates-or-terminates',
    `${what}: a migration ${RESULTS[expected.migration]}`,
    async () => {
      const { newer, runId, gate } = await deploy(after);
      const migrating = newer.settle(newer.runtime.sessions.migrate(runId, MIGRATE));
      if (expected.migration === 'nothing' || expected.migration === 'is refused') {
        const code = expected.migration === 'nothing' ? 'pin_immutable' : 'version_changed';
        expect((await faultOf(migrating)).code).toBe(code);
        expect((await newer.events(runId)).map(({ type }) => type)).not.toContain('run_migrated');
        expect(await newer.runtime.sessions.get(runId)).toMatchObject({ status: 'awaiting_gate' });
        return;
      }
      const { status, pending, suspended } = await migrating;
      expect(newer.dispatches).toEqual([]);
      expect((await faultOf(approve(newer, gate))).code).toBe('gate_closed');
      const { state } = await newer.runtime.records.replay(runId);
      expect(state.work.progress.size).toBe(3);
      if (expected.migration === 'is handed over') {
        expect({ status, pending, reason: suspended?.reason }).toEqual({
          status: 'paused',
          pending: [],
          reason: 'plan_rejected',
        });
        return;
      }
      const [next] = pending;
      expect(next?.packetHash).not.toBe(gate.packetHash);
      expect(await approve(newer, next as Gate)).toMatchObject({ terminalCode: 'SUCCESS' });
      expect(newer.dispatches.filter(({ tool }) => tool === 'look')).toEqual([]);
      await newer.runtime.records.replay(runId);
      await newer.runtime.records.trace(runId);
    },
  );

  const endings: readonly (readonly [string, (rig: Rig, runId: string, gate: Gate) => Promise<unknown>, string])[] = [
    ['reject', ({ runtime }, _, gate) => runtime.gates.reject(gate.gateId, answerTo(gate)), 'PERMISSION_DENIED'],
    [
      'cancel',
      ({ runtime }, id) => runtime.sessions.cancel(id, { credential: operator('ops'), reason: 'enough' }),
      'USER_CANCEL',
    ],
    [
      'a cancellation by the requester',
      ({ runtime }, id) => runtime.sessions.send(id, { type: 'run_cancelled', by: 'agt_worker', reason: 'enough' }),
      'USER_CANCEL',
    ],
    [
      'terminate',
      ({ runtime }, id) => runtime.sessions.terminate(id, { credential: operator('ops'), reason: 'enough' }),
      'USER_CANCEL',
    ],
  ];
  for (const [how, end, terminalCode] of endings) {
    verifies('resume:deploy:unused-change-does-not-strand', `${what}: ${how} ends the run`, async () => {
      const { newer, runId, gate } = await deploy(after);
      expect(await newer.settle(end(newer, runId, gate))).toMatchObject({ terminalCode });
      expect(newer.dispatches).toEqual([]);
    });
  }
  verifies('resume:deploy:unused-change-does-not-strand', `${what}: the run expires with its gate`, async () => {
    const { newer, runId } = await deploy(after);
    const [open] = await newer.journal.gates({ session: runId });
    newer.clock.advanceTo((open?.expires_at ?? 0) - 1);
    await newer.runtime.resume(runId).catch(() => undefined);
    expect(await newer.runtime.sessions.get(runId)).toMatchObject({ status: 'awaiting_gate' });
    newer.clock.advanceTo(open?.expires_at ?? 0);
    const expired = { status: 'expired', terminalCode: 'CONFIRM_REQUIRED', reason: 'gate_expired' };
    expect(await newer.runtime.resume(runId)).toMatchObject(expired);
    expect(newer.dispatches).toEqual([]);
    if (expected.migration !== 'is refused') await newer.runtime.records.replay(runId);
  });
}

test('a run keeps the descriptions of the tools that it was planned with', async () => {
  const { newer, runId } = await deploy(withTool('spare', { description: 'other words' }));
  const begun = (await newer.events(runId)).find((event) => event.type === 'run_initialized');
  const registry = JSON.parse(await newer.journal.blob(begun?.manifest.tool_registry_version as never)) as readonly {
    readonly name: string;
    readonly description: string;
  }[];
  expect(registry.find(({ name }) => name === 'spare')?.description).toBe('spare');
});

test('a run that has to plan again under another planner is handed over, and names both', async () => {
  const fails: RigTool = { execute: () => Promise.reject(new Error('down')) };
  const { newer, runId, gate } = await deploy({
    ...withPlanner('another'),
    tools: { ...TOOLS, report: { ...TOOLS['report'], ...fails } },
  });
  expect(await approve(newer, gate)).toMatchObject({ status: 'paused', suspended: { reason: 'version_changed' } });
  const failed = (await newer.events(runId)).find((event) => event.type === 'plan_failed');
  expect(failed?.message).toBe('the run was made with the planner scripted, but this process has another');
  expect(newer.planner.requests).toEqual([]);
});

test('a later plan may not use a tool that has changed since the run was planned', async () => {
  const spare = planOf([{ id: 's4', tool: 'spare' }], { plan_id: 'plan_2' });
  const report = { ...TOOLS['report'], execute: () => Promise.reject(new Error('down')) };
  const { newer, runId, gate } = await deploy(
    {
      ...BEFORE,
      tools: { ...TOOLS, report, spare: { description: 'other words' } },
    },
    [spare, spare],
  );
  await approve(newer, gate);
  const refused = (await newer.events(runId)).filter((event) => event.type === 'step_refused');
  expect(refused[0]).toMatchObject({
    step_id: 's4',
    code: 'version_changed',
    message: expect.stringContaining('`description`'),
  });
  expect(newer.dispatches.map(({ tool }) => tool)).not.toContain('spare');
});
