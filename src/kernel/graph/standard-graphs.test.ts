/** Proves that the standard graphs have exactly the specified transitions and a path to the end from every node. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hash, holding, TOGGLES, type Toggles } from '../../../test/graph/toggles.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { NODE_ROLES, type NodeRole } from '../../model/plan/graph.ts';
import { type CompiledGraph, compile } from './compile.ts';
import { GUARD_NAMES } from './guard-names.ts';
import { STANDARD_GRAPH_NAMES, STANDARD_GRAPHS, type StandardGraphName } from './standard-graphs.ts';

const INTERRUPTS: readonly string[] = ['stop_pending@1', 'escalation_pending@1'];

/** The specified transitions of each node. Interrupts lead to `terminate` and `human_approval` as well. */
const TRANSITIONS: Readonly<Record<NodeRole, readonly NodeRole[]>> = {
  goal_intake: ['classify_intent'],
  // `ask_user` is for a classification below the threshold.
  classify_intent: ['scope_resolution', 'ask_user'],
  scope_resolution: ['state_init', 'terminate'],
  state_init: ['plan'],
  plan: ['plan_validation'],
  // `repair` is for the Critic's verdict "replan", `completion_check` for a plan that is an answer without tools.
  plan_validation: ['action_selection', 'human_approval', 'terminate', 'repair', 'completion_check'],
  action_selection: ['tool_eligibility'],
  tool_eligibility: ['tool_invocation', 'ask_user', 'human_approval', 'terminate'],
  tool_invocation: ['observation_capture'],
  observation_capture: ['observation_verification'],
  observation_verification: ['state_update', 'repair', 'human_approval', 'terminate'],
  repair: ['plan', 'human_approval', 'terminate'],
  ask_user: ['scope_resolution', 'plan', 'terminate'],
  human_approval: ['action_selection', 'finalize', 'terminate'],
  state_update: ['completion_check'],
  completion_check: ['plan', 'finalize', 'human_approval', 'terminate'],
  finalize: ['terminate'],
  terminate: [],
};

const graphs = Object.fromEntries(
  STANDARD_GRAPH_NAMES.map((name) => [name, compile(STANDARD_GRAPHS[name], TOGGLES, hash)]),
) as Readonly<Record<StandardGraphName, CompiledGraph<Toggles>>>;

/** Exits by the node's own work, and exits by interrupt only. */
function exitsOf(graph: CompiledGraph<Toggles>, from: string): { readonly work: string[]; readonly halt: string[] } {
  const leaving = graph.spec.edges.filter((edge) => edge.from === from);
  const work = leaving.filter((edge) => !INTERRUPTS.includes(edge.guard)).map((edge) => edge.to);
  return { work, halt: graph.exits(from).filter((to) => !work.includes(to)) };
}

describe('transitions', () => {
  test('plan-first has exactly the specified transitions', () => {
    for (const role of NODE_ROLES) {
      const { work, halt } = exitsOf(graphs.plan_first, role);
      const listed = TRANSITIONS[role];
      expect([...work, ...halt.filter((to) => listed.includes(to as NodeRole))].sort()).toEqual([...listed].sort());
      expect(['human_approval', 'terminate']).toEqual(expect.arrayContaining(halt));
    }
  });

  test.each(STANDARD_GRAPH_NAMES)('%s has only specified transitions', (name) => {
    const graph = graphs[name];
    for (const { id, role } of graph.spec.nodes) {
      expect(TRANSITIONS[role]).toEqual(expect.arrayContaining(exitsOf(graph, id).work));
    }
  });

  test.each(STANDARD_GRAPH_NAMES)('%s can be stopped at every node and has no exit from its end', (name) => {
    const graph = graphs[name];
    for (const { id } of graph.spec.nodes) {
      if (id === 'terminate') expect(graph.exits(id)).toEqual([]);
      else expect(graph.edge(id, 'terminate')?.(holding('stop_pending@1'))).toBe(true);
    }
  });

  test('an escalation can interrupt the nodes from planning to completion check and no others', () => {
    const reachable = graphs.plan_first.spec.nodes
      .filter(({ id }) => graphs.plan_first.edge(id, 'human_approval')?.(holding('escalation_pending@1')))
      .map(({ id }) => id);
    expect(reachable.sort()).toEqual([
      'action_selection',
      'completion_check',
      'observation_capture',
      'observation_verification',
      'plan',
      'plan_validation',
      'repair',
      'state_update',
      'tool_eligibility',
      'tool_invocation',
    ]);
  });

  verifies('graph:plan-node:only-to-validation', 'a plan leads only to its validation', () => {
    for (const graph of Object.values(graphs)) {
      expect(exitsOf(graph, 'plan').work).toEqual(['plan_validation']);
      expect(graph.edge('plan', 'action_selection')).toBeNull();
      expect(graph.edge('plan', 'tool_invocation')).toBeNull();
    }
    expect(graphs.plan_first.edge('plan', 'plan_validation')?.(holding('plan_proposed@1'))).toBe(true);
  });

  verifies('graph:intake-classify:linear-entry', 'a valid request leads only to classification', () => {
    for (const graph of Object.values(graphs)) {
      expect(graph.exits('goal_intake')).toEqual(['classify_intent', 'terminate']);
      expect(graph.edge('goal_intake', 'scope_resolution')).toBeNull();
      expect(graph.edge('goal_intake', 'classify_intent')?.(holding('request_valid@1'))).toBe(true);
      expect(graph.edge('goal_intake', 'classify_intent')?.(holding())).toBe(false);
    }
  });
});

describe('walks', () => {
  const CYCLE: readonly (readonly [to: NodeRole, guard: string])[] = [
    ['plan', 'incomplete_with_budget@1'],
    ['plan_validation', 'plan_proposed@1'],
    ['action_selection', 'plan_ok@1'],
    ['tool_eligibility', 'step_selected@1'],
    ['tool_invocation', 'call_cleared@1'],
    ['observation_capture', 'call_dispatched@1'],
    ['observation_verification', 'observation_stored@1'],
    ['state_update', 'observation_verified@1'],
    ['completion_check', 'state_committed@1'],
  ];

  test('each move of a plan-first action cycle opens under its own guard only', () => {
    let at: NodeRole = 'completion_check';
    for (const [to, guard] of CYCLE) {
      const edge = graphs.plan_first.edge(at, to);
      const others = Object.keys(GUARD_NAMES).filter((name) => name !== guard && !INTERRUPTS.includes(name));
      expect(edge?.(holding(guard))).toBe(true);
      expect(edge?.(holding(...others))).toBe(false);
      at = to;
    }
  });

  test('an approved step returns to selection, never directly to the tool', () => {
    const graph = graphs.plan_first;
    expect(graph.edge('tool_eligibility', 'human_approval')?.(holding('needs_approval@1'))).toBe(true);
    expect(graph.edge('human_approval', 'action_selection')?.(holding('approval_recorded@1'))).toBe(true);
    expect(graph.edge('human_approval', 'action_selection')?.(holding())).toBe(false);
    expect(graph.edge('human_approval', 'tool_invocation')).toBeNull();
  });

  const somewhere = fc.record({
    name: fc.constantFrom(...STANDARD_GRAPH_NAMES),
    choices: fc.array(fc.nat(), { maxLength: 60 }),
  });

  test('a run can finish from every node without an interrupt', () => {
    fc.assert(
      fc.property(somewhere, ({ name, choices }) => {
        const graph = graphs[name];
        let at = graph.spec.entry;
        for (const choice of choices) {
          const exits = graph.exits(at);
          at = exits[choice % exits.length] ?? at;
        }
        const seen = new Set([at]);
        for (const id of seen) for (const to of exitsOf(graph, id).work) seen.add(to);
        expect(seen.has('terminate')).toBe(true);
      }),
    );
  });
});

describe('tiers', () => {
  test.each(['direct_response', 'prompt_chain', 'deterministic_workflow'] as const)(
    '%s has no model choice and no repair',
    (name) => {
      const graph = graphs[name];
      for (const { id } of graph.spec.nodes) expect(graph.choices(id)).toEqual([]);
      expect(graph.idOf('repair')).toBeNull();
      expect(graph.edge('plan', 'plan_validation')?.(holding('plan_proposed@1', 'structured_output@1'))).toBe(false);
      expect(graph.edge('plan', 'plan_validation')?.(holding('plan_from_host@1'))).toBe(true);
    },
  );

  test('direct_response has no loop', () => {
    expect(exitsOf(graphs.direct_response, 'completion_check').work).toEqual(['finalize']);
  });

  test('conditional_graph branches only on structured output', () => {
    const edge = graphs.conditional_graph.edge('plan', 'plan_validation');
    expect(edge?.(holding('plan_proposed@1'))).toBe(false);
    expect(edge?.(holding('structured_output@1'))).toBe(true);
  });

  test("supervised reaches action selection only with a person's approval of the plan", () => {
    const edge = graphs.supervised.edge('plan_validation', 'action_selection');
    expect(edge?.(holding('plan_ok@1'))).toBe(false);
    expect(edge?.(holding('plan_approved@1'))).toBe(true);
    expect(graphs.supervised.edge('plan_validation', 'human_approval')?.(holding('plan_pending_approval@1'))).toBe(
      true,
    );
    expect(graphs.plan_first.edge('plan_validation', 'human_approval')?.(holding('plan_pending_approval@1'))).toBe(
      false,
    );
  });

  test('the choices of a model grow with the tier', () => {
    const choices = (name: StandardGraphName): readonly string[] =>
      graphs[name].spec.nodes.flatMap(({ id }) => graphs[name].choices(id).map((to) => `${id} -> ${to}`));
    expect(choices('conditional_graph')).toEqual(['plan -> plan_validation']);
    expect(choices('supervised')).toEqual(['plan -> plan_validation', 'repair -> plan']);
    expect(choices('plan_first')).toEqual(['plan -> plan_validation', 'repair -> plan']);
    expect(choices('reactive')).toEqual([
      'action_selection -> tool_eligibility',
      'completion_check -> finalize',
      'completion_check -> plan',
      'plan -> plan_validation',
      'repair -> plan',
    ]);
  });
});

test('every shipped guard is used, and there are at most 31', () => {
  const used = new Set(Object.values(STANDARD_GRAPHS).flatMap((graph) => graph.edges.map((edge) => edge.guard)));
  expect([...used].sort()).toEqual(Object.keys(GUARD_NAMES).sort());
  expect(used.size).toBeLessThanOrEqual(31);
});
