import { expect, test } from 'vitest';
import { hash, holding, TOGGLES } from '../../../../test/graph/toggles.ts';
import { compile } from '../../graph/compile.ts';
import { GUARD_NAMES } from '../../graph/guard-names.ts';
import { PLAN_FIRST, PROMPT_CHAIN } from '../../graph/standard-graphs.ts';
import { ruleOnRequest } from './model-request.ts';

const graph = compile(PLAN_FIRST, TOGGLES, hash);
const everything = holding(...Object.keys(GUARD_NAMES));

test('a model may choose its own edge while the guard holds', () => {
  const request = { from: 'plan', to: 'plan_validation' };
  expect(ruleOnRequest(graph, request, holding('plan_proposed@1'))).toBe('granted');
  expect(ruleOnRequest(graph, request, holding())).toBe('guard_does_not_hold');
});

test('rejects an edge that does not exist, whichever guards hold', () => {
  expect(ruleOnRequest(graph, { from: 'plan', to: 'tool_invocation' }, everything)).toBe('no_such_edge');
  expect(ruleOnRequest(graph, { from: 'terminate', to: 'plan' }, everything)).toBe('no_such_edge');
  expect(ruleOnRequest(graph, { from: 'plan', to: 'a_new_node' }, everything)).toBe('no_such_edge');
});

test('rejects an edge of the orchestrator, whichever guards hold', () => {
  expect(ruleOnRequest(graph, { from: 'plan_validation', to: 'action_selection' }, everything)).toBe('not_a_choice');
  expect(ruleOnRequest(graph, { from: 'plan', to: 'terminate' }, everything)).toBe('not_a_choice');
});

test('a model chooses nothing in a static chain', () => {
  const chain = compile(PROMPT_CHAIN, TOGGLES, hash);
  for (const { from, to } of chain.spec.edges)
    expect(ruleOnRequest(chain, { from, to }, everything)).toBe('not_a_choice');
});
