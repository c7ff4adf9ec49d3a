/** Proves each compilation check with a graph that has exactly the defect it looks for. */
import { describe, expect, test } from 'vitest';
import { grown, hash, SMALLEST, TOGGLES } from '../../../test/graph/toggles.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import {
  type CycleBound,
  type GraphDraft,
  type GraphNode,
  OUTCOME_CLASSES,
  TERMINAL_WRITES,
  TOOL_RULES,
} from '../../model/plan/graph.ts';
import { compile, diagnoseGraph, type GraphDiagnostic } from './compile.ts';

const problems = (draft: GraphDraft): readonly GraphDiagnostic[] => diagnoseGraph(deepFreeze(draft), TOGGLES);
const only = (draft: GraphDraft, check: GraphDiagnostic['check']): readonly GraphDiagnostic[] =>
  problems(draft).filter((diagnostic) => diagnostic.check === check);

test('the smallest graph has no problems', () => {
  expect(problems(SMALLEST)).toEqual([]);
});

verifies('graph:compile-1:outgoing-edge-required', 'reports a dead end, even one that can be cancelled', () => {
  const draft = grown([{ id: 'stuck', role: 'plan' }], [['take_in', 'stuck']]);
  expect(problems(draft)).toEqual([
    { check: 1, node: 'stuck', message: 'stuck is not terminal and has no outgoing edge' },
  ]);
  const flagged = grown([{ id: 'stuck', role: 'plan', terminal: true }], [['take_in', 'stuck']]);
  expect(only(flagged, 1)).toEqual([]);
});

test('rejects a terminal node with an exit', () => {
  expect(only(grown([], [['end', 'take_in']]), 1)).toMatchObject([{ node: 'end' }]);
});

describe('check 2: cycles', () => {
  const circle = (bound?: CycleBound): GraphDraft =>
    grown(
      [
        { id: 'a', role: 'plan', ...(bound === undefined ? {} : { bound }) },
        { id: 'b', role: 'plan_validation' },
      ],
      [
        ['take_in', 'a'],
        ['a', 'b'],
        ['b', 'a'],
        ['a', 'answer', 'response_fixed@1'],
      ],
    );
  const bounds: readonly CycleBound[] = [
    { kind: 'exit_condition', guard: 'response_fixed@1' },
    { kind: 'retry_limit', max: 3 },
    { kind: 'budget_limit', dimension: 'steps' },
    { kind: 'escalation_path', to: 'end' },
  ];

  verifies('graph:compile-2:cycles-need-exit', 'reports a cycle unless one of the four bounds holds in it', () => {
    expect(problems(circle())).toEqual([
      {
        check: 2,
        node: 'a',
        message: 'a -> b -> a has no exit condition, retry limit, budget limit or escalation path',
      },
    ]);
    for (const bound of bounds) expect(problems(circle(bound))).toEqual([]);
  });

  test('a bounded node in the same component does not excuse a cycle that avoids it', () => {
    const draft = grown(
      [
        { id: 'a', role: 'plan' },
        { id: 'b', role: 'plan_validation' },
        { id: 'c', role: 'repair', bound: { kind: 'retry_limit', max: 1 } },
      ],
      [
        ['take_in', 'a'],
        ['a', 'b'],
        ['b', 'a'],
        ['b', 'c'],
        ['c', 'a'],
        ['a', 'answer'],
      ],
    );
    expect(only(draft, 2)).toMatchObject([{ message: expect.stringContaining('a -> b -> a') }]);
  });

  test('an edge from a node to itself is a cycle', () => {
    const draft = grown(
      [{ id: 'spin', role: 'plan' }],
      [
        ['take_in', 'spin'],
        ['spin', 'spin'],
        ['spin', 'answer'],
      ],
    );
    expect(only(draft, 2)).toMatchObject([{ node: 'spin', message: expect.stringContaining('spin -> spin') }]);
  });

  test.each<[string, CycleBound]>([
    ['an exit that stays inside', { kind: 'exit_condition', guard: 'criteria_met@1' }],
    ['an exit nobody has', { kind: 'exit_condition', guard: 'plan_ok@1' }],
    ['an escalation to an ordinary node', { kind: 'escalation_path', to: 'b' }],
    ['an escalation to nowhere', { kind: 'escalation_path', to: 'nobody' }],
  ])('rejects %s as a bound', (_name, bound) => {
    expect(problems(circle(bound))).toMatchObject([{ check: 2, node: 'a' }]);
  });
});

describe('check 3: guards', () => {
  const guarded = (guard: string | undefined, declared: Partial<GraphDraft['guards'][number]> | null): GraphDraft => ({
    ...SMALLEST,
    edges: SMALLEST.edges.map(({ guard: before, ...edge }) => {
      const now = edge.to === 'answer' ? guard : before;
      return now === undefined ? edge : { ...edge, guard: now };
    }),
    guards:
      guard === undefined || declared === null
        ? SMALLEST.guards.filter((declaration) => declaration.guard !== guard)
        : [
            ...SMALLEST.guards.filter((declaration) => declaration.guard !== guard),
            { guard, deterministic: true, evaluated_by: 'kernel', ...declared },
          ],
  });

  verifies('graph:compile-3:every-edge-guarded', 'reports an edge without a deterministic kernel guard', () => {
    const edge = 'take_in -> answer';
    expect(problems(guarded(undefined, null))).toEqual([{ check: 3, edge, message: `${edge} has no guard` }]);
    expect(problems(guarded('criteria_met@1', { deterministic: false }))).toMatchObject([
      { check: 3, edge, message: expect.stringContaining('nondeterministic') },
    ]);
    expect(problems(guarded('criteria_met@1', { evaluated_by: 'model' }))).toMatchObject([
      { check: 3, edge, message: expect.stringContaining('evaluated by a model') },
    ]);
    expect(problems(guarded('criteria_met@1', {}))).toEqual([]);
  });

  test.each([
    ['without a version', 'criteria_met', {}, 'name@version'],
    ['with version zero', 'criteria_met@0', {}, 'name@version'],
    ['that the graph does not declare', 'plan_ok@1', null, 'does not declare'],
    ['that is not supplied', 'moon_is_full@1', {}, 'is not supplied'],
    ['that only a prototype supplies', 'constructor@1', {}, 'is not supplied'],
  ])('rejects a guard %s', (_name, guard, declared, why) => {
    expect(problems(guarded(guard, declared))).toMatchObject([{ check: 3, message: expect.stringContaining(why) }]);
  });

  test('a table entry that is not a function does not supply a guard', () => {
    const table = { ...TOGGLES, 'criteria_met@1': 'yes' as unknown as () => boolean };
    expect(diagnoseGraph(SMALLEST, table)).toMatchObject([{ check: 3, edge: 'take_in -> answer' }]);
  });

  test('rejects a guard that is declared twice', () => {
    const twice = { ...SMALLEST, guards: [...SMALLEST.guards, ...SMALLEST.guards.slice(0, 1)] };
    expect(problems(twice)).toMatchObject([{ check: 'reference', message: expect.stringContaining('criteria_met@1') }]);
  });
});

verifies('graph:compile-4:tool-nodes-five-rules', 'reports each missing tool rule by node and name', () => {
  const rules = Object.fromEntries(TOOL_RULES.map((rule) => [rule, `${rule}_rule@1`]));
  const withRules = (tool: GraphNode['tool']): GraphDraft =>
    grown(
      [{ id: 'call', role: 'tool_invocation', ...(tool === undefined ? {} : { tool }) }],
      [
        ['take_in', 'call'],
        ['call', 'answer'],
      ],
    );
  expect(problems(withRules(rules))).toEqual([]);
  const found = TOOL_RULES.map((rule) => {
    const { [rule]: _omitted, ...rest } = rules;
    return problems(withRules(rest));
  });
  expect(found).toEqual(
    TOOL_RULES.map((rule) => [{ check: 4, node: 'call', message: `call reaches tools but has no ${rule} rule` }]),
  );
  expect(problems(withRules(undefined))).toHaveLength(5);
});

verifies(
  'graph:compile-5:abnormal-paths-reach-terminal',
  'reports an escalation that never reaches a terminal node',
  () => {
    const limited = { kind: 'retry_limit', max: 2 } as const;
    const draft = grown(
      [
        { id: 'escalate', role: 'human_approval', bound: limited },
        { id: 'wait', role: 'repair' },
      ],
      [
        ['take_in', 'escalate'],
        ['escalate', 'wait'],
        ['wait', 'escalate'],
      ],
    );
    const endless = { ...draft, edges: draft.edges.filter(({ from, to }) => to !== 'end' || from === 'answer') };
    expect(only(endless, 5)).toEqual([
      {
        check: 5,
        node: 'escalate',
        message: 'no terminal node can be reached from escalate, wait: every exit leads back to them',
      },
    ]);
    const out = { from: 'escalate', to: 'end', guard: 'criteria_met@1', owner: 'orchestrator' as const };
    expect(only({ ...endless, edges: [...endless.edges, out] }, 5)).toEqual([]);
  },
);

verifies('graph:compile-6:terminal-metadata', 'reports each missing terminal write by node and name', () => {
  const writing = (writes: GraphNode['writes']): GraphDraft => ({
    ...SMALLEST,
    nodes: SMALLEST.nodes.map((node) => {
      const { writes: _before, ...rest } = node;
      if (node.terminal !== true) return node;
      return writes === undefined ? rest : { ...rest, writes };
    }),
  });
  const found = TERMINAL_WRITES.map((omitted) =>
    problems(writing(TERMINAL_WRITES.filter((write) => write !== omitted))),
  );
  expect(found).toEqual(
    TERMINAL_WRITES.map((omitted) => [
      { check: 6, node: 'end', message: `end is terminal but does not write ${omitted}` },
    ]),
  );
  expect(problems(writing(undefined))).toHaveLength(4);
});

test('rejects the terminate role without the terminal flag', () => {
  const unmarked = grown(
    [{ id: 'over', role: 'terminate' }],
    [
      ['take_in', 'over'],
      ['over', 'end'],
    ],
  );
  expect(only(unmarked, 6)).toMatchObject([{ node: 'over' }]);
});

describe('outcomes', () => {
  test.each(OUTCOME_CLASSES)('reports %s without a declared path', (outcome) => {
    const { [outcome]: _removed, ...outcomes } = SMALLEST.outcomes;
    const found = only({ ...SMALLEST, outcomes }, 'outcome');
    expect(found).toEqual([{ check: 'outcome', message: `${outcome} has no terminal path` }]);
  });

  test.each(OUTCOME_CLASSES)('reports %s if no edge carries its path', (outcome) => {
    const outcomes = { ...SMALLEST.outcomes, [outcome]: { guard: 'plan_ok@1', to: 'end' } };
    const found = only({ ...SMALLEST, outcomes }, 'outcome');
    expect(found).toMatchObject([{ node: 'end', message: expect.stringContaining(outcome) }]);
  });

  test('reports a node that cannot be cancelled, with all outcomes it lacks', () => {
    const edges = SMALLEST.edges.filter(({ from, guard }) => from !== 'take_in' || guard !== 'stop_pending@1');
    expect(problems({ ...SMALLEST, edges })).toEqual([
      {
        check: 'outcome',
        node: 'take_in',
        message: 'take_in has no edge for failure, cancellation, budget_exhaustion',
      },
    ]);
  });
});

describe('references', () => {
  test('reports an edge to a missing node', () => {
    expect(problems(grown([], [['take_in', 'nowhere']]))).toMatchObject([
      { check: 'reference', edge: 'take_in -> nowhere', message: expect.stringContaining('nowhere') },
    ]);
  });

  test('reports duplicate nodes, duplicate edges, a missing entry and unreachable nodes', () => {
    const twins = { ...SMALLEST, nodes: [...SMALLEST.nodes, { id: 'answer', role: 'plan' as const }] };
    expect(problems(twins)).toMatchObject([{ check: 'reference', node: 'answer' }]);
    expect(problems(grown([], [['take_in', 'answer']]))).toMatchObject([{ edge: 'take_in -> answer' }]);
    expect(problems({ ...SMALLEST, entry: 'elsewhere' })).toMatchObject([{ check: 'reference', node: 'elsewhere' }]);
    const island = grown([{ id: 'island', role: 'plan' }], [['island', 'answer']]);
    expect(problems(island)).toMatchObject([{ check: 'reference', node: 'island' }]);
  });

  test('finds inherited property names only if the graph has such a node', () => {
    const draft = grown(
      [{ id: 'toString', role: 'plan' }],
      [
        ['take_in', 'toString'],
        ['toString', 'answer'],
      ],
    );
    expect(problems(draft)).toEqual([]);
    expect(compile(draft, TOGGLES, hash).exits('toString')).toEqual(['answer', 'end']);
    const plain = compile(SMALLEST, TOGGLES, hash);
    expect(plain.exits('toString')).toEqual([]);
    expect(plain.edge('constructor', 'end')).toBeNull();
    expect(plain.edge('take_in', '__proto__')).toBeNull();
  });
});

describe('tiers', () => {
  const owned = (tier: number): GraphDraft => ({
    ...SMALLEST,
    tier,
    edges: SMALLEST.edges.map((edge) => (edge.to === 'answer' ? { ...edge, owner: 'model' } : edge)),
  });

  test.each([1, 2, 3])("tier %i has no edge of a model's choice and no repair", (tier) => {
    expect(problems(owned(tier))).toMatchObject([{ check: 'tier', edge: 'take_in -> answer' }]);
    const repair = grown(
      [{ id: 'mend', role: 'repair' }],
      [
        ['take_in', 'mend'],
        ['mend', 'answer'],
      ],
    );
    expect(problems({ ...repair, tier })).toMatchObject([{ check: 'tier', node: 'mend' }]);
  });

  test('a model may choose edges from tier 4 on', () => {
    expect(problems(owned(4))).toEqual([]);
  });

  test('tier 5 requires an approved plan before action selection', () => {
    const acting = (guard: string): GraphDraft => ({
      ...grown(
        [
          { id: 'check', role: 'plan_validation' },
          { id: 'act', role: 'action_selection' },
        ],
        [
          ['take_in', 'check'],
          ['check', 'act', guard],
          ['act', 'answer'],
        ],
      ),
      tier: 5,
      guards: [
        ...SMALLEST.guards,
        { guard: 'plan_approved@1', deterministic: true, evaluated_by: 'kernel' },
        { guard: 'plan_ok@1', deterministic: true, evaluated_by: 'kernel' },
      ],
    });
    expect(problems(acting('plan_approved@1'))).toEqual([]);
    expect(problems(acting('plan_ok@1'))).toMatchObject([{ check: 'tier', edge: 'check -> act' }]);
  });
});
