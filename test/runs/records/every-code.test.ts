/** Whatever a run ends with, its trace is whole, and one sentence made of that trace says how it went. */
import { expect } from 'vitest';
import { parse } from '../../../src/model/parse.ts';
import { TERMINAL_CODES, type TerminalCode } from '../../../src/model/terminal-code.ts';
import { RunTrace } from '../../../src/model/trace.ts';
import { accountOf } from '../../../src/record/account.ts';
import { standingOf } from '../../../src/replay/standing.ts';
import { trajectoryProblem } from '../../../src/replay/trajectory.ts';
import { verifies } from '../../requirements/verifies.ts';
import { WAYS } from '../endings/ways.ts';
import { framesOf, traced } from './traced.ts';

/** Tenant and user scope are one of the fourteen. */
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
  verifies('trace:fields:fourteen-required', `${code}: all of them are there`, () => {
    const run = WAYS[code]();
    const trace = traced(run);
    expect(parse(RunTrace, trace, 'input_invalid')).toEqual(trace);
    expect(Object.keys(trace).toSorted()).toEqual(FIELDS.toSorted());
    expect(trace.terminal_code).toBe(code);
    expect(Object.isFrozen(trace) && Object.isFrozen(trace.tool_calls)).toBe(true);
    const { moves } = standingOf(run.env, framesOf(run));
    expect(trajectoryProblem(run.env, moves, trace.escalation_events)).toBeNull();
  });
}

verifies('trace:fields:fourteen-required', 'a trace that lacks one of them is refused, and the field is named', () => {
  const trace = traced(WAYS.SUCCESS());
  for (const field of FIELDS) {
    const { [field]: _, ...rest } = trace;
    expect(() => parse(RunTrace, rest, 'input_invalid')).toThrow(expect.objectContaining({ path: `/${field}` }));
  }
});

verifies('trace:fields:fourteen-required', 'a run that was pinned to something says to what', () => {
  const run = WAYS.SUCCESS();
  const { manifest } = run.state;
  expect(traced(run)).toMatchObject({
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
  expect(traced(WAYS.UNSAFE_DETECTION())).toMatchObject({
    autonomy_boundary_version: 'none',
    workflow_graph_version: 'none',
    budget_vector: { caps: null, used: {} },
  });
});

const PARTS =
  /^The run \S+ was allowed (.+), chose the path (.+), called (.+), spent (.+), updated the state (.+), and ended because ([A-Z_]+) was met: (.+)\.$/;

/** What has no tool, no path or no budget says so. */
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
    const trace = traced(WAYS[code]());
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
    // Nothing but the trace: as it is read back from where it was kept.
    expect(accountOf(parse(RunTrace, JSON.parse(JSON.stringify(trace)), 'input_invalid'))).toBe(sentence);
  });
}

verifies('trace:summary:one-sentence', 'the sentence of a run that went well, word for word', () => {
  expect(accountOf(traced(WAYS.SUCCESS()))).toBe(
    'The run run_1 was allowed work for agt_worker of tenant_a under boundary 1 with the scopes all, chose the path ' +
      'plan ok → a accept → run accept, called finish (ok), spent 1 of 50 tool_calls and 1 of 50 steps, ' +
      'updated the state to version 1 from what was verified of a, and ended because SUCCESS was ' +
      'met: the goal is reached and validation, grounding and safety all hold.',
  );
});
