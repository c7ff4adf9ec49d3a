import { expect, test } from 'vitest';
import { hash, holding, TOGGLES } from '../../../test/graph/toggles.ts';
import { compile } from './compile.ts';
import { GUARD_NAMES } from './guard-names.ts';
import { ruleOnRequest } from './model-request.ts';
import { PLAN_FIRST } from './plan-first.ts';
import { PROMPT_CHAIN } from './prompt-chain.ts';

const graph = compile(PLAN_FIRST, TOGGLES, hash);
const everything = holding(...Object.keys(GUARD_NAMES));

test('a model may choose an edge that is its own while the guard holds', () => {
  const request = { from: 'plan', to: 'plan_validation' };
  expect(ruleOnRequest(graph, request, holding('plan_proposed@1'))).toBe('granted');
  expect(ruleOnRequest(graph, request, holding())).toBe('guard_does_not_hold');
});

test('an edge that does not exist stays closed, whatever holds', () => {
  expect(ruleOnRequest(graph, { from: 'plan', to: 'tool_invocation' }, everything)).toBe('no_such_edge');
  expect(ruleOnRequest(graph, { from: 'terminate', to: 'plan' }, everything)).toBe('no_such_edge');
  expect(ruleOnRequest(graph, { from: 'plan', to: 'a_new_node' }, everything)).toBe('no_such_edge');
});

test("the orchestrator's edges are not a model's to choose, whatever holds", () => {
  expect(ruleOnRequest(graph, { from: 'plan_validation', to: 'action_selection' }, everything)).toBe('not_a_choice');
  expect(ruleOnRequest(graph, { from: 'plan', to: 'terminate' }, everything)).toBe('not_a_choice');
});

test('in a static chain a model chooses nothing', () => {
  const chain = compile(PROMPT_CHAIN, TOGGLES, hash);
  for (const { from, to } of chain.spec.edges)
    expect(ruleOnRequest(chain, { from, to }, everything)).toBe('not_a_choice');
});
