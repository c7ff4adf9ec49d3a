/** Deploys under a run that waits at a gate: which changes let it continue, and which ones need a decision. */
import { expect, test } from 'vitest';
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

const withPlanner = (planner: string): RigOptions => ({
  ...BEFORE,
  agent: (agent) => ({
    ...agent,
    pins: { ...agent.pins, model_versions: { ...agent.pins.model_versions, planner } },
  }),
});

const ANY = { type: 'object' };
const goesOn = { terminalCode: 'SUCCESS' } as const;
const refused = (...parts: readonly string[]) => ({ code: 'version_changed', parts }) as const;

type Expected = typeof goesOn | ReturnType<typeof refused>;

const DEPLOYS: readonly (readonly [what: string, after: RigOptions, expected: Expected])[] = [
  ['nothing', BEFORE, goesOn],
  ['the description of an unused tool', withTool('spare', { description: 'other words' }), goesOn],
  ['the schema of an unused tool', withTool('spare', { input_schema: { ...ANY, required: ['x'] } }), goesOn],
  ['an unused tool is removed', without('spare'), goesOn],
  ['a tool is added', { ...BEFORE, tools: { ...TOOLS, extra: {} } }, goesOn],
  ['the description of a tool that is done', withTool('look', { description: 'other words' }), goesOn],
  ['a tool that is done is removed', without('look'), goesOn],
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
  ['the version of the awaited tool', withTool('pay', { version: '2' }), refused('pay', '`version`')],
  [
    'a later tool',
    withTool('report', { output_schema: { ...ANY, required: ['x'] } }),
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
    refused('report', 'does not exist'),
  ],
  [
    'a detector is added',
    { ...BEFORE, world: { policy: { detectors: [{ name: 'leak', version: '1', detect: () => null }] } } },
    refused('detectors none', 'leak@1'),
  ],
  [
    'the policy',
    { ...BEFORE, world: { policy: { plans: { version: 'other@1', invariants: () => [] } } } },
    refused('policy', 'other@1'),
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

for (const [what, after, expected] of DEPLOYS) {
  const title = 'code' in expected ? 'refuses to continue and names the change' : 'continues';
  verifies('resume:deploy:unused-change-does-not-strand', `${what}: ${title}`, async () => {
    const { newer, runId, gate } = await deploy(after);
    const approved = newer.settle(newer.runtime.approve(gate.gateId, answerTo(gate)));
    if ('terminalCode' in expected) {
      expect(await approved).toMatchObject(expected);
      expect(newer.dispatches.map(({ tool }) => tool)).toEqual(['pay', 'check', 'report']);
      await newer.runtime.records.replay(runId);
      return;
    }
    const fault = await approved.then(
      () => null,
      (error: unknown) => error as Error & { readonly code: string },
    );
    expect(fault?.code).toBe(expected.code);
    for (const part of expected.parts) expect(fault?.message).toContain(part);
    expect(fault?.message).toContain(`ambit sessions terminate ${runId}`);
    expect(newer.dispatches).toEqual([]);
    const types = (await newer.events(runId)).map(({ type }) => type);
    expect(types).not.toContain('decision_refused');
    expect(types).not.toContain('gate_decided');
    expect(await newer.runtime.sessions.get(runId)).toMatchObject({ status: 'awaiting_gate' });
  });

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

const approve = async (bench: Rig, { gateId, ...gate }: Gate) =>
  await bench.settle(bench.runtime.approve(gateId, answerTo({ gateId, ...gate })));

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
