/** The kinds of change that a deploy makes under a run that waits at the gate of `pay`, and the expected effect of each. */
import { modelProfile } from '../../../src/index.ts';
import type { ModelRole } from '../../../src/model/budget/model-call.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import type { ModelUse } from '../../../src/ports/model/language-model.ts';
import type { Judge } from '../../../src/ports/model/model-roles.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { CAPS, DECISION, planOf, type RigOptions, type RigTool } from '../rig.ts';

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

export const TOOLS: NonNullable<RigOptions['tools']> = {
  look: {},
  pay: PAY,
  check: {},
  refund: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'] },
  report: { produces: ['done'] },
  spare: {},
};

export const BEFORE: RigOptions = { tools: TOOLS, plans: [PLAN], options: { decisions: [DECISION] } };

export const withTool = (name: string, change: RigTool): RigOptions => ({
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

export const withPlanner = (planner: string): RigOptions => ({
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

const withDetectors = (...ids: readonly string[]): RigOptions => ({
  ...BEFORE,
  world: {
    policy: {
      detectors: ids.map((id) => {
        const [name = '', version = ''] = id.split('@');
        return { name, version, detect: () => null };
      }),
    },
  },
});

const usesOf = (role: ModelRole, model: string): { readonly uses: readonly ModelUse[] } => ({
  uses: [{ role, profile: modelProfile({ ...scriptedModel([]), id: model }, { price: 'free' }), templates: [] }],
});

/** A judge of one tool that likes everything. */
export const judgeOf = (tool: string, model: string, version = '1'): Judge => ({
  spec: {
    name: `${tool}_reader`,
    version,
    criteria: { kind: 'It is kind.' },
    applies: { tools: [tool], run: false, risk_min: 'low' },
    cost: NO_COST,
    safer_cost: null,
  },
  ...usesOf('judge', model),
  ask: async () => ({
    ok: true,
    text: JSON.stringify({ criteria: { kind: 1 }, reason: 'as it is' }),
    finish: 'stop',
  }),
});

export const withJudges = (...judges: readonly Judge[]): RigOptions => ({ ...BEFORE, world: { judges } });

const withModelOf = (name: string, model: string): RigOptions => ({
  ...BEFORE,
  tools: { ...TOOLS, [name]: { ...TOOLS[name], ...usesOf('executor', model) } },
});

const withDrafter = (model: string): RigOptions => ({
  ...BEFORE,
  world: {
    drafter: { ...usesOf('executor', model), draft: () => Promise.reject(new Error('nothing to draft')) } as never,
  },
});

const withComposer = (model: string): RigOptions => ({
  ...BEFORE,
  world: { composer: { ...usesOf('executor', model), compose: () => Promise.reject(new Error('down')) } as never },
});

const ANY = { type: 'object' };

/** The effect of a migration: there is nothing to accept; the gate asks again; a person decides; no version helps. */
export type Migration = 'nothing' | 'asks again' | 'is handed over' | 'is refused';

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

/** The kinds of change. `before` is the process that began the run, `BEFORE` by default. */
export const DEPLOYS: readonly (readonly [what: string, after: RigOptions, expected: Expected, before?: RigOptions])[] =
  [
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
    ['a detector is added', withDetectors('leak@1'), goesOn],
    [
      'the version of a detector',
      withDetectors('leak@2'),
      notAccepted('is refused', 'the detector leak@1', 'leak@2'),
      withDetectors('leak@1'),
    ],
    [
      'a detector is removed',
      BEFORE,
      notAccepted('is refused', 'the detector leak@1', 'none'),
      withDetectors('leak@1'),
    ],
    ['a judge is added', withJudges(judgeOf('report', 'a')), goesOn],
    ['a judge of an unused tool is removed', BEFORE, goesOn, withJudges(judgeOf('spare', 'a'))],
    [
      'the model of the judge of a tool that is done',
      withJudges(judgeOf('look', 'b')),
      goesOn,
      withJudges(judgeOf('look', 'a')),
    ],
    [
      'the model of the judge of an unused tool',
      withJudges(judgeOf('spare', 'b'), judgeOf('report', 'a')),
      goesOn,
      withJudges(judgeOf('spare', 'a'), judgeOf('report', 'a')),
    ],
    [
      'the model of the judge of a later tool',
      withJudges(judgeOf('report', 'b')),
      notAccepted('is refused', 'the model of judge report_reader@1 a', 'b'),
      withJudges(judgeOf('report', 'a')),
    ],
    [
      'the judge of a later tool is removed',
      BEFORE,
      notAccepted('is refused', 'the judge report_reader@1', 'none'),
      withJudges(judgeOf('report', 'a')),
    ],
    [
      'the version of the judge of a later tool',
      withJudges(judgeOf('report', 'a', '2')),
      notAccepted('is refused', 'the judge report_reader@1', 'report_reader@2'),
      withJudges(judgeOf('report', 'a')),
    ],
    ['the model of a tool that is done', withModelOf('look', 'b'), goesOn, withModelOf('look', 'a')],
    ['the model of an unused tool', withModelOf('spare', 'b'), goesOn, withModelOf('spare', 'a')],
    [
      'the model of a later tool',
      withModelOf('report', 'b'),
      notAccepted('is refused', 'the model of tool report a', 'b'),
      withModelOf('report', 'a'),
    ],
    ['the model of the drafter', withDrafter('b'), goesOn, withDrafter('a')],
    ['the model of the composer', withComposer('b'), goesOn, withComposer('a')],
    [
      'the policy',
      { ...BEFORE, world: { policy: { plans: { version: 'other@1', invariants: () => [] } } } },
      notAccepted('is refused', 'policy', 'other@1'),
    ],
  ];
