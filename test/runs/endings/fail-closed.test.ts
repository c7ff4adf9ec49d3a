/** Whoever is asked whether something may be, and cannot answer, has said no. */
import { expect } from 'vitest';
import type { LocalKind } from '../../../src/kernel/effect-kinds.ts';
import type { TurnEnv } from '../../../src/kernel/turn.ts';
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
  const way: typeof env.graph.way = (from, role) => {
    const found = env.graph.way(from, role);
    return found !== null && role === 'tool_invocation' ? { ...found, guard: broken } : found;
  };
  return { env: { ...env, graph: { ...env.graph, way } } };
};

/** A gated step after a plain one, taken as far as it goes. */
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
  /** What had gone well before it was asked. */
  readonly calls: number;
  readonly commits: number;
}

const CHECKERS: readonly Checker[] = [
  { name: 'the classification', options: { change: localThrows('classify_intent') }, calls: 0, commits: 0 },
  { name: 'the scope', options: { change: localThrows('resolve_scope') }, calls: 0, commits: 0 },
  {
    name: 'the rules about goals',
    options: { world: { policy: { goals: { check: broken }, plans: { version: '1', invariants: () => [] } } } },
    calls: 0,
    commits: 0,
  },
  { name: 'the manifest', options: { change: localThrows('init_run') }, calls: 0, commits: 0 },
  {
    name: 'the rules about plans',
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
  { name: 'the check of arguments', options: { change: toolsThrow('checkArguments') }, calls: 0, commits: 0 },
  { name: 'the gateway', options: { change: localThrows('clear_step') }, calls: 0, commits: 0 },
  { name: 'a guard of the graph', options: { change: guardThrows }, calls: 0, commits: 0 },
  { name: 'the check of the answer', options: { change: toolsThrow('checkOutput') }, calls: 1, commits: 0 },
  {
    name: 'the check of the observation',
    options: { change: criticThrows('verifyObservation') },
    calls: 1,
    commits: 0,
  },
  { name: 'an evaluator of the step', options: { change: criticThrows('judgeStep') }, calls: 1, commits: 1 },
];

for (const { name, options, calls, commits } of CHECKERS) {
  verifies(ID, `${name} throws: nothing further is sent or committed`, () => {
    const run = taken(options);
    expect(CODES).toContain(run.state.ending.terminal?.code);
    expect(run.state.session.status).toBe('failed');
    expect(run.state.counters.calls).toBe(calls);
    expect(eventsOf(run.events, 'step_committed')).toHaveLength(commits);
    expect(run.outbox).toEqual([]);
  });
}

verifies(ID, 'an evaluator that answers nothing has not said yes', () => {
  const silent = ({ critic }: TurnEnv): Partial<TurnEnv> => ({
    critic: { ...critic, judgeStep: () => ({ scores: {}, criteria: [], findings: [] }) },
  });
  const run = taken({ change: silent });
  expect(run.state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL', reason: 'evaluator_failed' });
  expect(run.state.counters.calls).toBe(1);
});

verifies(ID, 'a decision without a name decides nothing', () => {
  const run = taken({});
  const { gateId: gate_id = '', packetHash: packet_hash = '' } = run.state.people.gates[0] ?? {};
  const decided = { type: 'gate_decided', gate_id, packet_hash, decision: 'approve', reason: 'ok' } as const;
  expect(run.refusal({ ...decided, approver: '' }).code).toBe('approver_missing');
  expect(run.state.session.status).toBe('awaiting_gate');
});
