/** Whatever is wrong with how an agent is put together is said before anything runs. */
import { describe, expect, test } from 'vitest';
import { refundDecision, supportAgent, templates } from '../../../examples/01-refund/src/agent.ts';
import { openShop } from '../../../examples/01-refund/src/shop.ts';
import { ambit, modelJudge } from '../../../src/compose.ts';
import type { AmbitOptions } from '../../../src/facade/options.ts';
import type { AgentSpec } from '../../../src/model/agent.ts';
import type { DecisionSpec } from '../../../src/model/decision.ts';
import { Fault } from '../../../src/model/fault.ts';
import type { Plan } from '../../../src/model/plan.ts';
import type { ToolSpec } from '../../../src/model/tool.ts';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { agentFor, planOf, toolSpec } from '../rig.ts';

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

const put = (options: unknown) => (): unknown => ambit(options as AmbitOptions);
const refusal = (code: string, path: string | undefined, message: string): unknown =>
  expect.objectContaining({ code, path, message: expect.stringContaining(message) });

test('what fits is put together', () => {
  expect(ambit({ ...OPTIONS, limits: { gateTtlMs: 1, planning: 'stepwise' } })).toHaveProperty('invoke');
});

describe('refused, and the reason helps:', () => {
  test.each<[name: string, options: unknown, code: string, path: string | undefined, message: string]>([
    ['nothing', undefined, 'input_missing', undefined, 'ambit({ agent, tools, planner })'],
    ['null', null, 'input_missing', undefined, 'ambit({ agent, tools, planner })'],
    ['a list', [], 'input_missing', undefined, 'ambit({ agent, tools, planner })'],
    ['no agent', { ...OPTIONS, agent: undefined }, 'input_missing', '/agent', 'agent'],
    ['no tools', { ...OPTIONS, tools: undefined }, 'input_missing', '/tools', 'tool registry'],
    ['no planner', { ...OPTIONS, planner: undefined }, 'input_missing', '/planner', 'propose()'],
    ['a planner that cannot', { ...OPTIONS, planner: {} }, 'input_missing', '/planner', 'propose()'],
    ['a misspelt option', { ...OPTIONS, tool: [], verfication: false }, 'input_invalid', '/tool', '"verfication"'],
    ['an option of a prototype', { ...OPTIONS, toString: 1 }, 'input_invalid', '/toString', '"toString"'],
    [
      'a misspelt policy',
      { ...OPTIONS, world: { policy: { gate: {} } } },
      'input_invalid',
      '/world/policy/gate',
      '"gate"',
    ],
    ['a misspelt part of the world', { ...OPTIONS, world: { clok: {} } }, 'input_invalid', '/world/clok', '"clok"'],
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
    expect(put(options)).toThrow(refusal(code, path, message) as Error);
  });

  test.each<[name: string, world: unknown, path: string, fix: string]>([
    ['a model as a drafter', { drafter: MODEL }, '/world/drafter', 'modelDrafter({ model })'],
    ['a model as a reviewer', { reviewer: MODEL }, '/world/reviewer', 'modelReviewer({ model })'],
    ['a model as a classifier', { classifier: MODEL }, '/world/classifier', 'modelClassifier({ model })'],
    ['one judge, not a list', { judges: JUDGE }, '/world/judges', '[modelJudge('],
    ['a model as a judge', { judges: [MODEL] }, '/world/judges/0', 'modelJudge('],
    ['a judge of no tool', { judges: [JUDGE] }, '/world/judges/0/applies/tools/0', 'no tool is named finnish'],
    ['half of the timeouts', { plannerTimeouts: { usualMs: 9_000 } }, '/world/plannerTimeouts', 'byTaskClass'],
    ['the folder of a pack', { context: 'packs/finops' }, '/world/context', 'contextPack('],
    ['a pack by itself', { context: { pin: 'finops@1', items: [] } }, '/world/context', '{ pack: '],
  ])('%s', (_name, world, path, fix) => {
    expect(put({ ...OPTIONS, world })).toThrow(refusal('input_invalid', path, fix) as Error);
  });
});

describe('a part of the wrong kind is named with what it must be, before anything runs:', () => {
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
  const putAt = (path: string, value: unknown) => put({ ...OPTIONS, ...(within(path, value) as object) });

  test.each(Object.entries(METHODS))('%s', (path, fix) => {
    for (const value of [3, 'x', true, null, [], {}, () => 1])
      expect(putAt(path, value)).toThrow(refusal('input_invalid', path, fix) as Error);
  });

  test.each(OBJECTS)('%s', (path) => {
    for (const value of [3, 'x', true, null, [], () => 1])
      expect(putAt(path, value)).toThrow(refusal('input_invalid', path, 'is an object') as Error);
  });

  test.each<[path: string, values: readonly unknown[], fix: string]>([
    ['/store', [3, null, {}, []], "'sqlite:' and a file"],
    ['/world/services/log', [3, null, {}], '(line) =>'],
    ['/world/policy/approvers/operatorRole', [3, null, {}], "'operator'"],
    ['/world/policy/detectors', [3, 'x', null, {}], 'a list of { name, version, detect() }'],
    ['/world/reviewer', [null], 'modelReviewer({ model })'],
  ])('%s', (path, values, fix) => {
    for (const value of values) expect(putAt(path, value)).toThrow(refusal('input_invalid', path, fix) as Error);
  });

  test('a detector that is none', () => {
    const fault = refusal('input_invalid', '/world/policy/detectors/0', 'detect()');
    for (const one of [null, 3, { name: 'leak', version: '1' }])
      expect(putAt('/world/policy/detectors', [one])).toThrow(fault as Error);
  });

  test('what is given as undefined is left out', () => {
    const absent = { clock: undefined, timer: undefined, ids: undefined, metrics: undefined, vault: undefined };
    const policy = { goals: undefined, plans: undefined, quota: undefined, gates: undefined };
    expect(put({ ...OPTIONS, store: undefined, limits: undefined, world: { ...absent, policy } })()).toHaveProperty(
      'invoke',
    );
  });
});

test('an untrusted probe of a trusted tool is in order', () => {
  const specs = [
    toolSpec('finish', { produces: ['done'], probes: { reconcile: 'look' } }),
    toolSpec('look', { trusted: false }),
  ];
  const tools = specs.map((spec) => ({ spec, execute: () => ({ ok: true }) }));
  expect(ambit({ ...OPTIONS, agent: agentFor(['finish', 'look']), tools })).toHaveProperty('invoke');
});

describe('parts that do not fit each other', () => {
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
      `a tool for ${kind} that is not there`,
      toolWith({ probes: { [kind]: 'fly' } }),
      `/tools/finish/probes/${kind}`,
      'no tool is named fly',
    ]),
    [
      'an equivalent that is not there',
      toolWith({ equivalents: ['other', 'fly'] }, toolSpec('other')),
      '/tools/finish/equivalents/1',
      'no tool is named fly',
    ],
    ...(['verify', 'reconcile'] as const).map((kind): [string, AmbitOptions, string, string] => [
      `a probe for ${kind} that does more than look`,
      toolWith({ probes: { [kind]: 'act' } }, toolSpec('act', { approval_mode: 'local_write' })),
      `/tools/finish/probes/${kind}`,
      'act looks at what finish did, so it has to be read_only',
    ]),
    [
      'a probe that nobody may ask',
      { ...toolWith({ probes: { verify: 'look' } }, toolSpec('look')), agent: tools({ allowed: ['finish'] }) },
      '/agent/boundary/tools/allowed',
      'allows finish and not look',
    ],
    ['no tools at all', { ...OPTIONS, tools: [] }, '/agent/boundary/tools/allowed/0', 'add it to tools'],
    [
      'an agent that may use what is not there',
      { ...OPTIONS, agent: tools({ allowed: ['finish', 'fly'] }) },
      '/agent/boundary/tools/allowed/1',
      'no tool is named fly: add it to tools, or take the name out (there are finish)',
    ],
    [
      'an approval for what is not there',
      { ...OPTIONS, agent: tools({ needs_approval: ['fly'] }) },
      '/agent/boundary/tools/needs_approval/0',
      'fly',
    ],
    [
      'scopes for what is not there',
      { ...OPTIONS, agent: { ...agent, access: { ...agent.access, tool_scopes: { finsh: ['all'] } } } },
      '/agent/access/tool_scopes/finsh',
      'no tool is named finsh',
    ],
    [
      'no tool that may be used',
      { ...OPTIONS, agent: agentFor([]) },
      '/agent/boundary/tools/allowed',
      'there are finish',
    ],
    [
      'a decision about what is not there',
      { ...OPTIONS, decisions: [{ ...decision, actions: ['fly'] }] },
      '/decisions/0/actions/0',
      'no tool is named fly',
    ],
    [
      'a decision twice',
      { ...OPTIONS, decisions: [decision, decision] },
      '/decisions/1/decision_id',
      'give each its own id',
    ],
    [
      'a template with a tool that is not there',
      planned(planOf([{ id: 's1', tool: 'fly' }])),
      '/planner/written/work/steps/0/tool',
      'no tool is named fly',
    ],
    [
      'a template with a decision that is not there',
      planned(planOf([{ id: 's1', tool: 'finish' }], { decision_checkpoints: [checkpoint] })),
      '/planner/written/work/decision_checkpoints/0',
      'no decision is named pay: add it to decisions',
    ],
    ['an intent without a template', { ...OPTIONS, planner: templatePlanner({}) }, '/planner', 'the intent work'],
  ])('%s', (_name, options, path, fix) => {
    expect(put(options)).toThrow(refusal('input_invalid', path, fix) as Error);
  });

  test('what fits is put together: a template with its decision, and an agent without tools that names none', () => {
    const plan = planOf([{ id: 's1', tool: 'finish' }], { decision_checkpoints: [checkpoint] });
    expect(ambit({ ...planned(plan), decisions: [decision] })).toHaveProperty('invoke');
    expect(ambit({ ...OPTIONS, agent: agentFor([]), tools: [] })).toHaveProperty('invoke');
  });
});

describe('everything at once, and one fault:', () => {
  test('what is left out', () => {
    expect(put({ tols: [], world: { clok: 1 } })).toThrow(
      expect.objectContaining({
        code: 'input_invalid',
        path: '/tols',
        message: expect.stringMatching(
          /^5 things are wrong .*:\n- .*"tols".*\n- .*"clok".*\n- .*agent.*\n- .*tools.*\n- .*propose/,
        ),
      }) as Error,
    );
  });

  test('parts that are wrong in themselves', () => {
    const agent = { ...OPTIONS.agent, name: '', version: undefined };
    expect(put({ ...OPTIONS, agent, decisions: [{}], limits: { gateTtlMs: 0 } })).toThrow(
      /things are wrong .*:\n- agent\/name: .*\n- agent\/version: is missing.*\n- decisions\/0\/decision_id: is missing[\s\S]*\n- limits\/gateTtlMs: /,
    );
  });

  test('the refund without its tools and its decision', () => {
    const { message } = faultOf({
      agent: supportAgent(openShop().tools).spec,
      tools: [],
      planner: templatePlanner(templates),
    });
    expect(message).toMatch(/^12 things are wrong/);
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
  throw new Error('it was put together');
}

describe('no limit is', () => {
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
    expect(put({ ...OPTIONS, limits: { [name]: value } })).toThrow(
      expect.objectContaining({ code: 'input_invalid', path }) as Error,
    );
  });

  test('one that nobody knows', () => {
    expect(put({ ...OPTIONS, limits: { loopGuard: false } })).toThrow(
      expect.objectContaining({ code: 'input_invalid', message: expect.stringContaining('loopGuard') }) as Error,
    );
  });
});
