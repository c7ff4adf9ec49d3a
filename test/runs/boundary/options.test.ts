/** `ambit()` rejects invalid options before a run starts. */
import { describe, expect, test } from 'vitest';
import { refundDecision, supportAgent, templates } from '../../../examples/01-refund/src/agent.ts';
import { openShop } from '../../../examples/01-refund/src/shop.ts';
import type { AmbitOptions } from '../../../src/agent/options.ts';
import { ambit, modelJudge } from '../../../src/compose.ts';
import type { DecisionSpec } from '../../../src/model/critic/decision.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import type { ToolSpec } from '../../../src/model/tool/tool.ts';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { agentFor, agentOf, CAPS, planOf, toolSpec } from '../rig.ts';

const TOOL = { spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) };
const OPTIONS: AmbitOptions = { agent: agentFor(['finish']), tools: [TOOL], planner: scriptedPlanner([]) };

const MODEL = scriptedModel([]);
const JUDGE = modelJudge({
  name: 'tone',
  version: '1',
  model: MODEL,
  criteria: { polite: 'It is polite.' },
  applies: { tools: ['finnish'] },
});

const assemble = (options: unknown) => (): unknown => ambit(options as AmbitOptions);
const refusal = (code: string, path: string | undefined, message: string): unknown =>
  expect.objectContaining({ code, path, message: expect.stringContaining(message) });

test('accepts valid options', () => {
  expect(ambit({ ...OPTIONS, limits: { gateTtlMs: 1, planning: 'stepwise' } })).toHaveProperty('invoke');
});

describe('rejects with a helpful reason:', () => {
  test.each<[name: string, options: unknown, code: string, path: string | undefined, message: string]>([
    ['nothing', undefined, 'input_missing', undefined, 'ambit({ agent, store: '],
    ['null', null, 'input_missing', undefined, 'ambit({ agent, store: '],
    ['a list', [], 'input_missing', undefined, 'ambit({ agent, store: '],
    ['no agent', { ...OPTIONS, agent: undefined }, 'input_missing', '/agent', 'agent'],
    ['no tools', { ...OPTIONS, tools: undefined }, 'input_missing', '/tools', 'tools is missing'],
    ['no planner', { ...OPTIONS, planner: undefined }, 'input_missing', '/planner', 'propose()'],
    ['a planner without propose()', { ...OPTIONS, planner: {} }, 'input_missing', '/planner', 'propose()'],
    [
      'a misspelt option',
      { ...OPTIONS, tool: [], verfication: false },
      'input_invalid',
      '/tool',
      'there is no option tool, verfication; there are tools, ',
    ],
    ['the name of a prototype method as option', { ...OPTIONS, toString: 1 }, 'input_invalid', '/toString', 'toString'],
    [
      'a misspelt policy',
      { ...OPTIONS, world: { policy: { gate: {} } } },
      'input_invalid',
      '/world/policy/gate',
      'there is no option gate; there are gates, ',
    ],
    [
      'a misspelt key in world',
      { ...OPTIONS, world: { clok: {} } },
      'input_invalid',
      '/world/clok',
      'there is no option clok; there are clock, ',
    ],
    [
      'a tool without code',
      { ...OPTIONS, tools: [{ spec: TOOL.spec }] },
      'input_invalid',
      '/tools/0/execute',
      '"finish"',
    ],
    ['a bare spec as a tool', { ...OPTIONS, tools: [TOOL.spec] }, 'input_invalid', '/tools/0', '{ spec, execute }'],
    ['nothing as a tool', { ...OPTIONS, tools: [TOOL, null] }, 'input_invalid', '/tools/1', '{ spec, execute }'],
  ])('%s', (_name, options, code, path, message) => {
    expect(assemble(options)).toThrow(refusal(code, path, message) as Error);
  });

  test.each<[name: string, world: unknown, path: string, fix: string]>([
    ['a model as a drafter', { drafter: MODEL }, '/world/drafter', 'modelDrafter({ model })'],
    ['a model as a reviewer', { reviewer: MODEL }, '/world/reviewer', 'modelReviewer({ model })'],
    ['a model as a classifier', { classifier: MODEL }, '/world/classifier', 'modelClassifier({ model })'],
    ['one judge, not a list', { judges: JUDGE }, '/world/judges', '[modelJudge('],
    ['a model as a judge', { judges: [MODEL] }, '/world/judges/0', 'modelJudge('],
    ['a judge for an unknown tool', { judges: [JUDGE] }, '/world/judges/0/applies/tools/0', 'no tool is named finnish'],
    ['incomplete timeouts', { plannerTimeouts: { usualMs: 9_000 } }, '/world/plannerTimeouts', 'byTaskClass'],
    ['the folder of a pack as context', { context: 'packs/finops' }, '/world/context', 'contextPack('],
    ['a pack as context', { context: { pin: 'finops@1', items: [] } }, '/world/context', '{ pack: '],
  ])('%s', (_name, world, path, fix) => {
    expect(assemble({ ...OPTIONS, world })).toThrow(refusal('input_invalid', path, fix) as Error);
  });
});

describe('names what a part of the wrong kind must be:', () => {
  const METHODS: Readonly<Record<string, string>> = {
    '/world/clock': 'nowMs()',
    '/world/timer': 'until()',
    '/world/ids': 'next()',
    '/world/models': 'connect()',
    '/world/infrastructure': 'permits()',
    '/world/files': 'realPath()',
    '/world/metrics': 'observe()',
    '/world/journal': 'openJournal(',
    '/world/vault': 'vaults.inFile(',
    '/world/services/credentials': 'get()',
    '/world/policy/goals': 'check()',
    '/world/policy/plans': 'invariants(), version',
    '/world/policy/calls': 'decide(), version',
    '/world/policy/candidate': 'decide(), version',
    '/world/policy/approvers/keys': 'keyTools.inFile(',
    '/world/policy/approvers/authenticator': 'identify()',
  };
  const OBJECTS = [
    '/limits',
    '/world',
    '/world/services',
    '/world/memory',
    '/world/policy',
    '/world/policy/quota',
    '/world/policy/gates',
    '/world/policy/approvers',
  ];
  const within = (path: string, value: unknown): unknown =>
    path
      .split('/')
      .slice(1)
      .reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const putAt = (path: string, value: unknown) => assemble({ ...OPTIONS, ...(within(path, value) as object) });

  test.each(Object.entries(METHODS))('%s', (path, fix) => {
    for (const value of [3, 'x', true, null, [], {}, () => 1])
      expect(putAt(path, value)).toThrow(refusal('input_invalid', path, fix) as Error);
  });

  test.each(OBJECTS)('%s', (path) => {
    for (const value of [3, 'x', true, null, [], () => 1])
      expect(putAt(path, value)).toThrow(refusal('input_invalid', path, 'must be an object') as Error);
  });

  test.each<[path: string, values: readonly unknown[], fix: string]>([
    ['/store', [3, null, {}, []], "'sqlite:<file>'"],
    ['/world/services/log', [3, null, {}], '(line) =>'],
    ['/world/policy/approvers/operatorRole', [3, null, {}], "'operator'"],
    ['/world/policy/detectors', [3, 'x', null, {}], 'a list of { name, version, detect() }'],
    ['/world/reviewer', [null], 'modelReviewer({ model })'],
  ])('%s', (path, values, fix) => {
    for (const value of values) expect(putAt(path, value)).toThrow(refusal('input_invalid', path, fix) as Error);
  });

  test('an invalid detector', () => {
    const fault = refusal('input_invalid', '/world/policy/detectors/0', 'detect()');
    for (const one of [null, 3, { name: 'leak', version: '1' }])
      expect(putAt('/world/policy/detectors', [one])).toThrow(fault as Error);
  });

  test('ignores options that are undefined', () => {
    const absent = { clock: undefined, timer: undefined, ids: undefined, metrics: undefined, vault: undefined };
    const policy = { goals: undefined, plans: undefined, quota: undefined, gates: undefined };
    expect(
      assemble({ ...OPTIONS, store: undefined, limits: undefined, world: { ...absent, policy } })(),
    ).toHaveProperty('invoke');
  });
});

test('accepts an untrusted probe of a trusted tool', () => {
  const specs = [
    toolSpec('finish', { produces: ['done'], probes: { reconcile: 'look' } }),
    toolSpec('look', { trusted: false }),
  ];
  const tools = specs.map((spec) => ({ spec, execute: () => ({ ok: true }) }));
  expect(ambit({ ...OPTIONS, agent: agentFor(['finish', 'look']), tools })).toHaveProperty('invoke');
});

describe('rejects parts that do not match:', () => {
  const { agent } = OPTIONS;
  const tools = (changes: Partial<AgentSpec['boundary']['tools']>): AgentSpec => ({
    ...agent,
    boundary: { ...agent.boundary, tools: { ...agent.boundary.tools, ...changes } },
  });
  const planned = (plan: Plan): AmbitOptions => ({ ...OPTIONS, planner: templatePlanner({ work: plan }) });
  const checkpoint = { decision_id: 'pay', after_step: 's1' };
  const decision: DecisionSpec = { ...refundDecision, decision_id: 'pay', evidence: [], actions: ['finish'] };

  const toolWith = (changes: Partial<ToolSpec>, ...others: readonly ToolSpec[]): AmbitOptions => {
    const specs = [toolSpec('finish', { produces: ['done'], ...changes }), ...others];
    return {
      ...OPTIONS,
      agent: agentFor(specs.map(({ name }) => name)),
      tools: specs.map((spec) => ({ spec, execute: () => ({ ok: true }) })),
    };
  };

  test.each<[name: string, options: AmbitOptions, path: string, fix: string]>([
    ...(['verify', 'reconcile', 'compensate'] as const).map((kind): [string, AmbitOptions, string, string] => [
      `an unknown tool for ${kind}`,
      toolWith({ probes: { [kind]: 'fly' } }),
      `/tools/finish/probes/${kind}`,
      'no tool is named fly',
    ]),
    [
      'an unknown equivalent',
      toolWith({ equivalents: ['other', 'fly'] }, toolSpec('other')),
      '/tools/finish/equivalents/1',
      'no tool is named fly',
    ],
    ...(['verify', 'reconcile'] as const).map((kind): [string, AmbitOptions, string, string] => [
      `a probe for ${kind} that is not read-only`,
      toolWith({ probes: { [kind]: 'act' } }, toolSpec('act', { approval_mode: 'local_write' })),
      `/tools/finish/probes/${kind}`,
      'act is a probe of finish, so it must be read_only',
    ]),
    [
      'a probe that the boundary does not allow',
      { ...toolWith({ probes: { verify: 'look' } }, toolSpec('look')), agent: tools({ allowed: ['finish'] }) },
      '/agent/boundary/tools/allowed',
      'allows finish but not its probe look',
    ],
    ['no tools at all', { ...OPTIONS, tools: [] }, '/agent/boundary/tools/allowed/0', 'add it to tools'],
    [
      'a boundary that allows an unknown tool',
      { ...OPTIONS, agent: tools({ allowed: ['finish', 'fly'] }) },
      '/agent/boundary/tools/allowed/1',
      'no tool is named fly: add it to tools, or remove the name (there are finish)',
    ],
    [
      'a required approval for an unknown tool',
      { ...OPTIONS, agent: tools({ needs_approval: ['fly'] }) },
      '/agent/boundary/tools/needs_approval/0',
      'fly',
    ],
    [
      'scopes for an unknown tool',
      { ...OPTIONS, agent: { ...agent, access: { ...agent.access, tool_scopes: { finsh: ['all'] } } } },
      '/agent/access/tool_scopes/finsh',
      'no tool is named finsh',
    ],
    [
      'a boundary that allows no tool',
      { ...OPTIONS, agent: agentFor([]) },
      '/agent/boundary/tools/allowed',
      'there are finish',
    ],
    [
      'a decision with an unknown action',
      { ...OPTIONS, decisions: [{ ...decision, actions: ['fly'] }] },
      '/decisions/0/actions/0',
      'no tool is named fly',
    ],
    [
      'a duplicate decision',
      { ...OPTIONS, decisions: [decision, decision] },
      '/decisions/1/decision_id',
      'give each its own id',
    ],
    [
      'a template with an unknown tool',
      planned(planOf([{ id: 's1', tool: 'fly' }])),
      '/planner/written/work/steps/0/tool',
      'no tool is named fly',
    ],
    [
      'a template with an unknown decision',
      planned(planOf([{ id: 's1', tool: 'finish' }], { decision_checkpoints: [checkpoint] })),
      '/planner/written/work/decision_checkpoints/0',
      'no decision is named pay: add it to decisions',
    ],
    ['an intent without a template', { ...OPTIONS, planner: templatePlanner({}) }, '/planner', 'the intent work'],
  ])('%s', (_name, options, path, fix) => {
    expect(assemble(options)).toThrow(refusal('input_invalid', path, fix) as Error);
  });

  test('accepts a template with its decision, and an agent without tools whose boundary allows none', () => {
    const plan = planOf([{ id: 's1', tool: 'finish' }], { decision_checkpoints: [checkpoint] });
    expect(ambit({ ...planned(plan), decisions: [decision] })).toHaveProperty('invoke');
    expect(ambit({ ...OPTIONS, agent: agentOf({}, CAPS), tools: [] })).toHaveProperty('invoke');
  });
});

describe('reports every problem in one fault:', () => {
  test('unknown and missing options', () => {
    expect(assemble({ tols: [], world: { clok: 1 } })).toThrow(
      expect.objectContaining({
        code: 'input_invalid',
        path: '/tols',
        message: expect.stringMatching(/^3 problems .*:\n- .*tols.*\n- .*clok.*\n- agent is missing/),
      }) as Error,
    );
  });

  test('parts that are invalid in themselves', () => {
    const agent = { ...OPTIONS.agent, name: '', version: undefined };
    expect(assemble({ ...OPTIONS, agent, decisions: [{}], limits: { gateTtlMs: 0 } })).toThrow(
      /problems .*:\n- agent\/name: .*\n- agent\/version: is missing.*\n- decisions\/0\/decision_id: is missing[\s\S]*\n- limits\/gateTtlMs: /,
    );
  });

  test('the refund agent without its tools and its decision', () => {
    const { message } = faultOf({
      agent: supportAgent(openShop().tools).spec,
      tools: [],
      planner: templatePlanner(templates),
    });
    expect(message).toMatch(/^14 problems in the options of this agent/);
    for (const place of ['boundary/tools/allowed/2', 'tool_scopes/adp_policy.eval', 'decision_checkpoints/0']) {
      expect(message).toContain(place);
    }
  });
});

function faultOf(options: AmbitOptions): Fault {
  try {
    ambit(options);
  } catch (error) {
    if (Fault.is(error)) return error;
  }
  throw new Error('the options were accepted');
}

describe('rejects the limit', () => {
  test.each<[string, unknown]>([
    ['gateTtlMs', 0],
    ['gateTtlMs', -1],
    ['gateTtlMs', Number.NaN],
    ['gateTtlMs', Number.POSITIVE_INFINITY],
    ['gateTtlMs', 2 ** 52],
    ['gateTtlMs', '60000'],
    ['gateTtlMs', undefined],
    ['dispatchWindowMs', 0.5],
    ['retryBaseMs', -200],
    ['intentConfidence', 1.01],
    ['intentConfidence', -1],
    ['denialsMax', Number.MAX_SAFE_INTEGER],
    ['denialsMax', 0],
    ['contextLimit', 2 ** 60],
    ['onEscalate', 'ignore'],
    ['planning', 'never'],
    ['plannerCost', { input_tokens: -1, output_tokens: 0, microusd: 0 }],
  ])('%s: %j', (name, value) => {
    const path: unknown = expect.stringMatching(new RegExp(`^/limits/${name}`));
    expect(assemble({ ...OPTIONS, limits: { [name]: value } })).toThrow(
      expect.objectContaining({ code: 'input_invalid', path }) as Error,
    );
  });

  test('with an unknown name', () => {
    expect(assemble({ ...OPTIONS, limits: { loopGuard: false } })).toThrow(
      expect.objectContaining({ code: 'input_invalid', message: expect.stringContaining('loopGuard') }) as Error,
    );
  });
});
