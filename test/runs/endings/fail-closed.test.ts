/** Tests that a checker that throws counts as a denial. */
import { expect } from 'vitest';
import type { TurnEnv } from '../../../src/kernel/machine/turn.ts';
import type { LocalKind } from '../../../src/model/events/effect-kinds.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf } from '../rig.ts';
import { answered, eventsOf, proposed, type Turns, type TurnsOptions, turns } from './turns.ts';

const ID = 'security:fail-closed:checker-errors-deny';
const CODES = ['PERMISSION_DENIED', 'VALIDATION_FAIL', 'UNSAFE_DETECTION'];

const broken = (): never => {
  throw new Error('out of order');
};
const localThrows =
  (kind: LocalKind) =>
  ({ local }: TurnEnv): Partial<TurnEnv> => ({
    local: (state, effect) => (effect.kind === kind ? broken() : local(state, effect)),
  });
const toolsThrow =
  (method: 'checkArguments' | 'checkOutput') =>
  ({ env }: TurnEnv): Partial<TurnEnv> => ({ env: { ...env, tools: { ...env.tools, [method]: broken } } });
const criticThrows =
  (method: 'verifyObservation' | 'judgeStep' | 'judgeRun') =>
  ({ critic }: TurnEnv): Partial<TurnEnv> => ({ critic: { ...critic, [method]: broken } });
const guardThrows = ({ env }: TurnEnv): Partial<TurnEnv> => {
  const edgeTo: typeof env.graph.edgeTo = (from, role) => {
    const found = env.graph.edgeTo(from, role);
    return found !== null && role === 'tool_invocation' ? { ...found, guard: broken } : found;
  };
  return { env: { ...env, graph: { ...env.graph, edgeTo: edgeTo } } };
};

/** Runs a plain step and a gated one, as far as they go. */
function taken(options: TurnsOptions): Turns {
  const run = turns({
    tools: { read: { retries_max: 0 }, pay: { approval_mode: 'destructive', gates: ['GATE'], produces: ['done'] } },
    caps: { ...CAPS, replan_attempts_max: 0 },
    options: { limits: { onEscalate: 'end' } },
    ...options,
  });
  const plan = planOf([
    { id: 'a', tool: 'read' },
    { id: 'b', tool: 'pay', requires: ['GATE'] },
  ]);
  if (run.outbox.some(({ kind }) => kind === 'propose_plan')) run.say(proposed(plan));
  if (run.outbox.some(({ kind }) => kind === 'call_tool')) run.say(answered(run));
  return run;
}

interface Checker {
  readonly name: string;
  readonly options: TurnsOptions;
  /** The calls made before the checker throws. */
  readonly calls: number;
  readonly commits: number;
}

const CHECKERS: readonly Checker[] = [
  { name: 'the classification', options: { change: localThrows('classify_intent') }, calls: 0, commits: 0 },
  { name: 'the scope resolution', options: { change: localThrows('resolve_scope') }, calls: 0, commits: 0 },
  {
    name: 'the goal policy',
    options: { world: { policy: { goals: { check: broken }, plans: { version: '1', invariants: () => [] } } } },
    calls: 0,
    commits: 0,
  },
  { name: 'the manifest', options: { change: localThrows('init_run') }, calls: 0, commits: 0 },
  {
    name: 'the plan policy',
    options: {
      world: {
        policy: {
          goals: { check: () => ({ cleared: true, rule: null }) },
          plans: { version: '1', invariants: broken },
        },
      },
    },
    calls: 0,
    commits: 0,
  },
  { name: 'the argument check', options: { change: toolsThrow('checkArguments') }, calls: 0, commits: 0 },
  { name: 'the gateway', options: { change: localThrows('clear_step') }, calls: 0, commits: 0 },
  { name: 'a graph guard', options: { change: guardThrows }, calls: 0, commits: 0 },
  { name: 'the output check', options: { change: toolsThrow('checkOutput') }, calls: 1, commits: 0 },
  {
    name: 'the observation check',
    options: { change: criticThrows('verifyObservation') },
    calls: 1,
    commits: 0,
  },
  { name: 'a step evaluator', options: { change: criticThrows('judgeStep') }, calls: 1, commits: 1 },
];

for (const { name, options, calls, commits } of CHECKERS) {
  verifies(ID, `${name} throws: sends and commits nothing further`, () => {
    const run = taken(options);
    expect(CODES).toContain(run.state.ending.terminal?.code);
    expect(run.state.session.status).toBe('failed');
    expect(run.state.counters.calls).toBe(calls);
    expect(eventsOf(run.events, 'step_committed')).toHaveLength(commits);
    expect(run.outbox).toEqual([]);
  });
}

verifies(ID, 'an evaluator without scores does not accept the step', () => {
  const silent = ({ critic }: TurnEnv): Partial<TurnEnv> => ({
    critic: { ...critic, judgeStep: () => ({ scores: {}, criteria: [], findings: [] }) },
  });
  const run = taken({ change: silent });
  expect(run.state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL', reason: 'evaluator_failed' });
  expect(run.state.counters.calls).toBe(1);
});

verifies(ID, 'rejects a gate decision without an approver', () => {
  const run = taken({});
  const { gateId: gate_id = '', packetHash: packet_hash = '' } = run.state.people.gates[0] ?? {};
  const decided = { type: 'gate_decided', gate_id, packet_hash, decision: 'approve', reason: 'ok' } as const;
  expect(run.refusal({ ...decided, approver: '' }).code).toBe('approver_missing');
  expect(run.state.session.status).toBe('awaiting_gate');
});
