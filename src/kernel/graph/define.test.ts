import { describe, expect, test } from 'vitest';
import { hash, holding, TOGGLES, togglesFor } from '../../../test/graph/toggles.ts';
import { TERMINAL_WRITES } from '../../model/plan/graph.ts';
import { compile, diagnoseGraph } from './compile.ts';
import { defineGraph, STANDARD_TOOL_RULES } from './define.ts';

const triage = defineGraph({
  name: 'triage',
  version: '1',
  tier: 3,
  entry: 'intake',
  nodes: {
    intake: 'goal_intake',
    call: { role: 'tool_invocation', bound: { kind: 'retry_limit', max: 2 } },
    review: 'human_approval',
    answer: 'finalize',
    end: 'terminate',
  },
  edges: [
    ['intake', 'call', 'request_valid@1'],
    ['call', 'answer', 'ticket.is_small@1'],
    ['call', 'review', 'needs_approval@1'],
    ['review', 'call', 'approval_recorded@1'],
    ['answer', 'end', 'response_fixed@1'],
  ],
  guards: [{ guard: 'ticket.is_small@1', deterministic: true, evaluated_by: 'kernel' }],
});
const table = { ...TOGGLES, ...togglesFor(['ticket.is_small@1']) };

describe('defineGraph', () => {
  test('fills in the defaults of each role', () => {
    expect(triage.nodes.find(({ id }) => id === 'end')).toMatchObject({ terminal: true, writes: TERMINAL_WRITES });
    expect(triage.nodes.find(({ id }) => id === 'call')).toMatchObject({ tool: STANDARD_TOOL_RULES });
  });

  test('compiles with custom guards and adds the interrupts', () => {
    const graph = compile(triage, table, hash);
    expect(graph.edge('call', 'answer')?.(holding('ticket.is_small@1'))).toBe(true);
    expect(graph.edge('intake', 'end')?.(holding('stop_pending@1'))).toBe(true);
    expect(graph.edge('call', 'review')?.(holding('escalation_pending@1'))).toBe(true);
    expect(graph.edge('answer', 'review')).toBeNull();
    expect(graph.spec.outcomes.escalation).toEqual({ guard: 'escalation_pending@1', to: 'review' });
  });

  test('requires a declaration of every custom guard', () => {
    const { guards: _guards, ...rest } = triage;
    expect(
      diagnoseGraph(
        { ...rest, guards: triage.guards.filter(({ guard }) => guard.endsWith('small@1') === false) },
        table,
      ),
    ).toMatchObject([{ check: 3, edge: 'call -> answer', message: expect.stringContaining('does not declare') }]);
  });
});

test('does not add an interrupt that the author wrote', () => {
  const graph = defineGraph({
    name: 'short',
    version: '1',
    tier: 1,
    entry: 'answer',
    nodes: { answer: 'finalize', end: 'terminate' },
    edges: [
      ['answer', 'end', 'response_fixed@1'],
      ['answer', 'end', 'stop_pending@1'],
    ],
  });
  expect(graph.edges).toHaveLength(2);
  expect(diagnoseGraph(graph, TOGGLES)).toEqual([]);
});

test('a graph without a terminal node is rejected for every outcome', () => {
  const endless = defineGraph({
    name: 'endless',
    version: '1',
    tier: 1,
    entry: 'answer',
    nodes: { answer: 'finalize', more: 'plan' },
    edges: [
      ['answer', 'more', 'criteria_met@1'],
      ['more', 'answer', 'criteria_met@1'],
    ],
  });
  const found = diagnoseGraph(endless, TOGGLES);
  expect(found.filter(({ check }) => check === 'outcome')).toHaveLength(5);
  expect(found.filter(({ check }) => check === 5)).toHaveLength(1);
});

test('tool rules and outcomes can be overridden', () => {
  const graph = defineGraph({
    name: 'own_rules',
    version: '1',
    tier: 1,
    entry: 'call',
    nodes: {
      call: { role: 'tool_invocation', tool: { ...STANDARD_TOOL_RULES, timeout: 'one_second@1' } },
      end: 'terminate',
    },
    edges: [['call', 'end', 'criteria_met@1']],
    outcomes: { success: { guard: 'criteria_met@1', to: 'end' } },
  });
  expect(diagnoseGraph(graph, TOGGLES)).toEqual([]);
  expect(compile(graph, TOGGLES, hash).node('call').tool?.timeout).toBe('one_second@1');
});
