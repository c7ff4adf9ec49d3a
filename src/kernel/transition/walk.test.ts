/** Tests that a walk enforces the visit limits of its graph, also without a previous `canWalk`. */
import { expect, test } from 'vitest';
import { hash } from '../../../test/graph/toggles.ts';
import type { GraphSpec, NodeRole } from '../../model/plan/graph.ts';
import type { KernelEnv } from '../env.ts';
import { compile } from '../graph/compile.ts';
import { GUARD_NAMES } from '../graph/guard-names.ts';
import { PLAN_FIRST } from '../graph/standard-graphs.ts';
import { movesMade } from '../state/call-state.ts';
import type { RunState } from '../state/run-state.ts';
import { canWalk, forgetVisits, NO_VISITS, walk } from './walk.ts';

/** A graph in which every guard holds, with visit limits for these nodes. */
function graphWith(limits: Partial<Record<NodeRole, number>>): KernelEnv {
  const nodes = PLAN_FIRST.nodes.map((node) => {
    const max = limits[node.role];
    return max === undefined ? node : { ...node, bound: { kind: 'retry_limit', max } as const };
  });
  const spec: GraphSpec = { ...PLAN_FIRST, name: 'limited', nodes };
  const guards = Object.fromEntries(Object.keys(GUARD_NAMES).map((name) => [name, () => true]));
  return { graph: compile(spec, guards, hash) } as unknown as KernelEnv;
}

const standingOn = (node: string): RunState =>
  ({ position: { node, moves: null, transitions: 0, visits: NO_VISITS } }) as unknown as RunState;

const ROUND: readonly NodeRole[] = [
  'repair',
  'plan',
  'plan_validation',
  'action_selection',
  'tool_eligibility',
  'tool_invocation',
  'observation_capture',
  'observation_verification',
];

test('visits a node up to its limit and no more, in one walk or several', () => {
  const env = graphWith({ repair: 2 });
  const start = standingOn('observation_verification');
  const twice = walk(env, start, ...ROUND, ...ROUND);
  expect(walk(env, walk(env, start, ...ROUND), ...ROUND).position.visits).toEqual(twice.position.visits);
  expect([canWalk(env, start, 'repair'), canWalk(env, twice, 'repair')]).toEqual([true, false]);
  const tooOften = expect.objectContaining({ code: 'illegal_edge', message: expect.stringContaining('as often as') });
  expect(() => walk(env, twice, 'repair')).toThrow(tooOften);
  expect(() => walk(env, start, ...ROUND, ...ROUND, 'repair')).toThrow(tooOften);
});

test('counts each limited node separately, and no other', () => {
  const env = graphWith({ repair: 5, plan: 5 });
  const { position } = walk(env, standingOn('observation_verification'), ...ROUND, 'repair');
  expect(position.visits).toMatchObject({ repair: 2, plan: 1 });
  expect(position.visits).not.toHaveProperty('tool_invocation');
});

test('forgets the counts, and returns the same state if there are none', () => {
  const start = standingOn('observation_verification');
  expect(forgetVisits(start)).toBe(start);
  const counted = walk(graphWith({ repair: 1 }), start, ...ROUND);
  expect(forgetVisits(counted).position).toEqual({ ...counted.position, visits: {} });
});

test('records each node of a walk as a move, in order, and as a transition', () => {
  const { position } = walk(graphWith({}), standingOn('observation_verification'), ...ROUND);
  expect(movesMade(position.moves)).toEqual(ROUND);
  expect(position).toMatchObject({ node: 'observation_verification', transitions: ROUND.length });
});
