/** For every terminal code the trace is complete, and one sentence summarizes it. */
import { expect } from 'vitest';
import { TERMINAL_CODES, type TerminalCode } from '../../../src/model/fault/terminal-code.ts';
import { parse } from '../../../src/model/json/parse.ts';
import { RunTrace } from '../../../src/model/record/trace.ts';
import { accountOf } from '../../../src/record/account.ts';
import { illegalMoves, standingOf } from '../../../src/replay/walk-run.ts';
import { verifies } from '../../requirements/verifies.ts';
import { RUN_BY_CODE } from '../endings/run-by-code.ts';
import { eventsOf } from '../endings/turns.ts';
import { operator, planOf, rig } from '../rig.ts';
import { framesOf, traceRun } from './traced.ts';

/** Tenant and user scope count as one of the fourteen. */
const FIELDS: readonly (keyof RunTrace)[] = [
  'run_id',
  'tenant_id',
  'user_scope',
  'goal_object',
  'autonomy_boundary_version',
  'workflow_graph_version',
  'model_versions',
  'prompt_template_versions',
  'tool_registry_version',
  'state_checkpoints',
  'tool_calls',
  'budget_vector',
  'validation_results',
  'escalation_events',
  'terminal_code',
];

for (const code of TERMINAL_CODES) {
  verifies('trace:fields:fourteen-required', `${code}: has all fourteen fields`, () => {
    const run = RUN_BY_CODE[code]();
    const trace = traceRun(run);
    expect(parse(RunTrace, trace, 'input_invalid')).toEqual(trace);
    expect(Object.keys(trace).toSorted()).toEqual(FIELDS.toSorted());
    expect(trace.terminal_code).toBe(code);
    expect(Object.isFrozen(trace) && Object.isFrozen(trace.tool_calls)).toBe(true);
    const { moves } = standingOf(run.env, framesOf(run));
    expect(illegalMoves(run.env, moves, trace.escalation_events)).toEqual([]);
  });
}

verifies('trace:fields:fourteen-required', 'rejects a trace that lacks a field, and names it', () => {
  const trace = traceRun(RUN_BY_CODE.SUCCESS());
  for (const field of FIELDS) {
    const { [field]: _, ...rest } = trace;
    expect(() => parse(RunTrace, rest, 'input_invalid')).toThrow(expect.objectContaining({ path: `/${field}` }));
  }
});

verifies('trace:fields:fourteen-required', 'a trace names what the run was pinned to', () => {
  const run = RUN_BY_CODE.SUCCESS();
  const { manifest } = run.state;
  expect(traceRun(run)).toMatchObject({
    tenant_id: 'tenant_a',
    user_scope: { actor: 'agt_worker', roles: ['worker'], data_scopes: ['all'] },
    autonomy_boundary_version: manifest?.autonomy_boundary_version,
    workflow_graph_version: manifest?.workflow_graph_version,
    tool_registry_version: manifest?.tool_registry_version,
    model_versions: { planner: 'scripted', executor: 'none', verifier: 'none', router: 'none' },
    budget_vector: { caps: manifest?.budget_caps, used: { tool_calls_used: 1, steps_used: 1 } },
    state_checkpoints: [
      { after_step: null, verdict: 'ok', state_version: 0 },
      { after_step: 'a', verdict: 'accept', state_version: 1 },
      { after_step: null, verdict: 'accept', state_version: 1 },
    ],
  });
  expect(traceRun(RUN_BY_CODE.UNSAFE_DETECTION())).toMatchObject({
    autonomy_boundary_version: 'none',
    workflow_graph_version: 'none',
    budget_vector: { caps: null, used: {} },
  });
});

verifies('trace:fields:fourteen-required', 'each field of a trace has its own value of the run', async () => {
  const model_versions = { planner: 'plan@1', executor: 'draft@2', verifier: 'judge@3', router: 'route@4' };
  const prompt_template_versions = { planner: 'plan_prompt@5', verifier: 'judge_prompt@6' };
  const bench = rig({
    tools: {
      look: {},
      pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_PAY'], produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 'a', tool: 'look' },
        { id: 'b', tool: 'pay', requires: ['GATE_PAY'], depends_on: ['a'] },
      ]),
    ],
    agent: (agent) => ({
      ...agent,
      boundary: { ...agent.boundary, boundary_id: 'own_boundary' },
      pins: { ...agent.pins, model_versions, prompt_template_versions },
    }),
  });
  const waiting = await bench.invoke({ goal: { statement: 'Pay the open bill' } });
  const [gate] = waiting.pending;
  const decided = { packetHash: gate?.packetHash ?? '', credential: operator('lead'), reason: 'ok' };
  const { runId } = await bench.settle(bench.runtime.approve(gate?.gateId ?? '', decided));
  const trace = await bench.runtime.records.trace(runId);
  const { workflow_graph_version, tool_registry_version, autonomy_boundary_version } = trace;
  expect(trace).toMatchObject({
    run_id: runId,
    tenant_id: 'tenant_a',
    user_scope: { actor: 'agt_worker', roles: ['worker'], data_scopes: ['all'] },
    goal_object: { statement: 'Pay the open bill' },
    model_versions,
    prompt_template_versions,
    state_checkpoints: [{ judged: 'plan' }, { after_step: 'a' }, { after_step: 'b' }, { judged: 'run' }],
    tool_calls: [
      { tool: 'look', result_status: 'ok' },
      { tool: 'pay', result_status: 'ok' },
    ],
    budget_vector: { caps: { tool_calls_max: 50 }, used: { tool_calls_used: 2, side_effects_used: 1 } },
    terminal_code: 'SUCCESS',
  });
  expect(trace.validation_results.map(({ validator_id }) => validator_id)).toContain('plan_verification');
  expect(trace.escalation_events).toMatchObject([
    {
      request: { kind: 'gate', name: 'GATE_PAY', step_id: 'b' },
      decision: 'approve',
      approver: 'lead',
      outcome: 'continued',
    },
  ]);
  // The versions of boundary, graph and registry are three addresses, those of the manifest of the run.
  const [initialized] = eventsOf(await bench.events(runId), 'run_initialized');
  expect(initialized?.manifest).toMatchObject({
    workflow_graph_version,
    tool_registry_version,
    autonomy_boundary_version,
  });
  expect(new Set([workflow_graph_version, tool_registry_version, autonomy_boundary_version]).size).toBe(3);
});

const PARTS =
  /^The run \S+ was allowed (.+), chose the path (.+), called (.+), spent (.+), updated the state (.+), and ended because ([A-Z_]+) was met: (.+)\.$/;

/** The codes of runs that make no tool call. */
const WITHOUT_CALLS: ReadonlySet<TerminalCode> = new Set<TerminalCode>([
  'IMPOSSIBLE',
  'MISSING_INFO',
  'AMBIGUOUS_INTENT',
  'CONFIRM_REQUIRED',
  'BUDGET_EXHAUSTED',
  'PERMISSION_DENIED',
  'UNSAFE_DETECTION',
  'UNAVAILABLE_DEP',
]);

for (const code of TERMINAL_CODES) {
  verifies('trace:summary:one-sentence', `${code}: one sentence with six parts, from the trace alone`, () => {
    const trace = traceRun(RUN_BY_CODE[code]());
    const sentence = accountOf(trace);
    const [, allowed, path, called, spent, updated, ended] = PARTS.exec(sentence) ?? [];
    expect(sentence.match(/[.!?](?=\s|$)/g)).toHaveLength(1);
    expect(allowed).toContain(trace.goal_object.intent);
    expect(ended).toBe(code);
    expect(called === 'the tools none').toBe(WITHOUT_CALLS.has(code));
    expect(called === 'the tools none').toBe(trace.tool_calls.length === 0);
    expect(path === 'none').toBe(trace.state_checkpoints.every(({ verdict }) => verdict === null));
    expect(updated === 'none').toBe(trace.state_checkpoints.every(({ state_version }) => state_version === 0));
    expect(spent).not.toBe('');
    // The same sentence from a stored trace.
    expect(accountOf(parse(RunTrace, JSON.parse(JSON.stringify(trace)), 'input_invalid'))).toBe(sentence);
  });
}

verifies('trace:summary:one-sentence', 'the sentence of a successful run, word for word', () => {
  const trace = traceRun(RUN_BY_CODE.SUCCESS());
  const boundary = trace.autonomy_boundary_version;
  expect(boundary).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(accountOf(trace)).toBe(
    `The run run_1 was allowed work for agt_worker of tenant_a under boundary ${boundary} with the scopes all, ` +
      'chose the path plan ok → a accept → run accept, called finish (ok), spent 1 of 50 tool_calls and 1 of 50 steps, ' +
      'updated the state to version 1 from what was verified of a, and ended because SUCCESS was ' +
      'met: the goal is reached and validation, grounding and safety all hold.',
  );
});
