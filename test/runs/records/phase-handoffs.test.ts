/** Each phase handoff has a schema, and a malformed handoff stops the run and names its phase. */
import { expect, test } from 'vitest';
import { malformedHandoff, type TurnEnv } from '../../../src/kernel/machine/turn.ts';
import type { EventBody, RunEvent } from '../../../src/model/events/event.ts';
import { TERMINAL_CODES } from '../../../src/model/fault/terminal-code.ts';
import { PHASE_ARTIFACTS, PHASE_HANDOFFS, type PhaseName } from '../../../src/model/index.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { phasesOf } from '../../../src/record/phases.ts';
import { verifies } from '../../requirements/verifies.ts';
import { RUN_BY_CODE, startedRun } from '../endings/run-by-code.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { planOf, rig } from '../rig.ts';

const ID = 'intake:handoffs:eighteen-named-artifacts';

verifies(ID, 'exports a schema for each of the eighteen, and every handoff matches it', async () => {
  expect(PHASE_ARTIFACTS).toHaveLength(18);
  expect(Object.keys(PHASE_HANDOFFS).toSorted()).toEqual(PHASE_ARTIFACTS.toSorted());
  const seen = new Set<string>();
  const runs = TERMINAL_CODES.map((code) => RUN_BY_CODE[code]().events);
  const bench = rig({
    tools: { look: {}, finish: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'look' }]), planOf([{ id: 'b', tool: 'finish' }], { plan_id: 'plan_2' })],
  });
  const { runId } = await bench.invoke();
  for (const events of [...runs, await bench.events(runId)]) {
    for (const { artifact, handoff } of phasesOf(events)) {
      seen.add(artifact);
      expect({ artifact, problems: PHASE_HANDOFFS[artifact].safeParse(handoff).error?.issues ?? [] }).toEqual({
        artifact,
        problems: [],
      });
      expect(PHASE_HANDOFFS[artifact].safeParse('nonsense').success).toBe(false);
    }
  }
  expect([...seen].toSorted()).toEqual(PHASE_ARTIFACTS.toSorted());
});

/** Expects that the run ended and named this phase. */
function expectStopped(run: Turns, phase: PhaseName): void {
  expect(run.state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL', reason: 'event_invalid' });
  expect(run.state.ending.terminal?.detail['message']).toContain(`${phase} hands over a malformed`);
}

/** The same environment, with one event type changed. */
const changeLocal =
  (type: EventBody['type'], change: object) =>
  ({ local }: TurnEnv): Partial<TurnEnv> => ({
    local: (state, effect) => {
      const answer = local(state, effect);
      return answer.event.type === type ? { ...answer, event: { ...answer.event, ...change } as EventBody } : answer;
    },
  });

for (const [phase, type, change] of [
  ['scope_resolution', 'scope_resolved', { token: { actor: 'agt_worker' } }],
  ['policy_check', 'policy_checked', { cleared: 'yes' }],
  ['state_init', 'run_initialized', { manifest: { run_id: 'run_1' } }],
  ['action_selection', 'step_cleared', { gates: 'none' }],
  ['final_response', 'response_compiled', { claims: 'many' }],
  ['memory_write', 'memory_proposed', { proposals: null }],
] as const) {
  verifies(ID, `${phase}: a malformed handoff ends the run and names the phase`, () => {
    const run = startedRun({ change: changeLocal(type, change) });
    if (run.state.ending.terminal === null) run.say(answered(run));
    expectStopped(run, phase);
  });
}

const changeCritic =
  (change: Partial<TurnEnv['critic']>) =>
  ({ critic: usual }: TurnEnv): Partial<TurnEnv> => ({ critic: { ...usual, ...change } });

const NOTHING = { criteria: [], findings: [] };

for (const [phase, change] of [
  ['observation_grounding', { verifyObservation: () => ({ ok: true, confirmed: 'all', validator: '' }) }],
  ['validation_check', { judgeStep: () => ({ ...NOTHING, scores: { utility: 7 } }) }],
  ['termination_check', { judgeRun: () => ({ ...NOTHING, scores: { utility: Number.NaN }, unmet: [] }) }],
] as const satisfies readonly (readonly [PhaseName, Partial<TurnEnv['critic']>])[]) {
  verifies(ID, `${phase}: a malformed critic answer ends the run as well`, () => {
    const run = startedRun({ change: changeCritic(change) });
    run.say(answered(run));
    expectStopped(run, phase);
  });
}

verifies(ID, 'goal_intake and tool_invocation: malformed outside input is rejected before work starts', () => {
  const run = turns({ tools: { finish: { produces: ['done'] } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'finish' }])));
  const nonsense = { ...answered(run), spent: null } as unknown as EventBody;
  expect(run.refusal(nonsense)).toMatchObject({
    code: 'event_invalid',
    message: expect.stringContaining('tool_invocation'),
  });
  const [goal] = run.events;
  const strange = { ...goal, goal: { statement: 'x' } } as RunEvent;
  expect(malformedHandoff(strange)?.message).toContain('goal_intake hands over a malformed goal_received');
});

verifies(ID, 'checks every event that ends a phase for missing or mistyped fields', () => {
  const kinds = new Map<string, RunEvent>();
  for (const code of TERMINAL_CODES) for (const event of RUN_BY_CODE[code]().events) kinds.set(event.type, event);
  const phases = new Set<string>();
  for (const event of kinds.values()) {
    expect(malformedHandoff(event)).toBeNull();
    for (const field of Object.keys(event)) {
      const fault = malformedHandoff({ ...event, [field]: undefined } as RunEvent);
      if (fault === null) continue;
      phases.add(fault.message.slice(0, fault.message.indexOf(' ')));
      const code = event.type === 'run_escalated' ? 'escalation_invalid' : 'event_invalid';
      expect(fault).toMatchObject({ code, path: `/${field}` });
    }
  }
  expect(phases.size).toBeGreaterThan(13);
});

/** For every event that ends a phase: its required fields, each with a value that its schema refuses. */
const BAD: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  goal_received: { goal: {}, identity: [], inputs: null, expires_at: 0.5, heartbeat_ms: 0 },
  scope_resolved: { token: {}, reason: '' },
  policy_checked: { cleared: 1, rule: 2 },
  run_initialized: { manifest: {}, caps: null, evidence: { a: 1 } },
  plan_verified: { verdict: 'fine', plan_hash: '', problems: {}, checks: null, projected: [] },
  step_refused: { step_id: '', layer: '', code: 1, message: null, missing: {} },
  step_cleared: { step_id: '', args: [], args_hash: '', mode: null, gates: {} },
  step_observed: { call_id: '', outcome: 1, raw: undefined, spent: null },
  step_verified: { call_id: '', ok: 0, confirmed: 'none', validator: '', problems: {} },
  step_committed: { call_id: '', source: 1, version: 0, evidence_id: '', validator: null },
  step_judged: { step_id: '', scores: { utility: 2 }, criteria: { safety: '1' }, findings: {} },
  reflection_made: { trigger: '', note: null, spent: {} },
  run_judged: { scores: [], criteria: { utility: Number.NaN }, unmet: {}, findings: null },
  run_escalated: { escalation: {}, stop: [] },
  response_compiled: { claims: {}, text: 1 },
  memory_proposed: { proposals: null },
  run_terminated: { code: 'DONE', reason: '', detail: [], status: 'over', suppressed: {}, record: 1 },
};

/** One event of each type, most of them from real runs. */
const REAL = new Map<string, RunEvent>([
  ['reflection_made', { type: 'reflection_made', at: 0, trigger: 'tool_failure', note: '', spent: NO_COST }],
  [
    'step_refused',
    { type: 'step_refused', at: 0, step_id: 'a', layer: 'risk', code: 'evidence_missing', message: '', missing: [] },
  ],
  ...TERMINAL_CODES.flatMap((code) => RUN_BY_CODE[code]().events.map((event) => [event.type, event] as const)),
]);

for (const [type, fields] of Object.entries(BAD)) {
  verifies(ID, `${type}: each required field is checked, and the fault names the one that is wrong`, () => {
    const event = REAL.get(type);
    const check = (change: object): ReturnType<typeof malformedHandoff> =>
      malformedHandoff({ ...event, ...change } as RunEvent);
    expect(check({})).toBeNull();
    for (const [field, bad] of Object.entries(fields)) {
      const ending = bad === undefined ? 'is missing' : 'is not what the next phase can start from';
      const message = expect.stringMatching(new RegExp(`a malformed ${type}: ${field} ${ending}$`));
      expect(check({ [field]: bad })).toMatchObject({ path: `/${field}`, message });
      expect(check({ [field]: undefined })?.message).toMatch(new RegExp(`${field} is missing$`));
    }
  });
}

verifies(ID, 'a run may have no token, and a plan that was not accepted has no hash', () => {
  const check = (type: string, change: object): unknown =>
    malformedHandoff({ ...REAL.get(type), ...change } as RunEvent);
  expect(check('scope_resolved', { token: null })).toBeNull();
  expect(check('plan_verified', { verdict: 'replan', plan_hash: null, projected: {} })).toBeNull();
});

test('an input with a malformed optional field is refused before it is stored', () => {
  const run = turns({ tools: { finish: { produces: ['done'] } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'finish' }])));
  const answer = { ...answered(run), detail: 7 } as unknown as EventBody;
  expect(run.refusal(answer)).toMatchObject({ code: 'event_invalid', path: '/detail' });
});
