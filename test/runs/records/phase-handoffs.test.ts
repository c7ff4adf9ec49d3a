/** What one phase hands to the next has a schema, and what does not hold to it stops the run where it came from. */
import { expect } from 'vitest';
import { malformedHandoff } from '../../../src/kernel/phase-border.ts';
import type { TurnEnv } from '../../../src/kernel/turn.ts';
import type { EventBody, RunEvent } from '../../../src/model/event.ts';
import { PHASE_ARTIFACTS, PHASE_HANDOFFS, type PhaseName } from '../../../src/model/index.ts';
import { TERMINAL_CODES } from '../../../src/model/terminal-code.ts';
import { phasesOf } from '../../../src/record/phases.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { begun, WAYS } from '../endings/ways.ts';
import { planOf, rig } from '../rig.ts';

const ID = 'intake:handoffs:eighteen-named-artifacts';

verifies(ID, 'each of the eighteen is exported with its schema, and what runs hand over holds to it', async () => {
  expect(PHASE_ARTIFACTS).toHaveLength(18);
  expect(Object.keys(PHASE_HANDOFFS).toSorted()).toEqual(PHASE_ARTIFACTS.toSorted());
  const seen = new Set<string>();
  const runs = TERMINAL_CODES.map((code) => WAYS[code]().events);
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

/** The run ends there, and says which phase it was. */
function expectStopped(run: Turns, phase: PhaseName): void {
  expect(run.state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL', reason: 'event_invalid' });
  expect(run.state.ending.terminal?.detail['message']).toContain(`${phase} hands over a malformed`);
}

/** The same rooms, one of which says something that is not what it should be. */
const saying =
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
  verifies(ID, `${phase}: a room that hands over something malformed ends the run, by the name of the phase`, () => {
    const run = begun({ change: saying(type, change) });
    if (run.state.ending.terminal === null) run.say(answered(run));
    expectStopped(run, phase);
  });
}

const critic =
  (change: Partial<TurnEnv['critic']>) =>
  ({ critic: usual }: TurnEnv): Partial<TurnEnv> => ({ critic: { ...usual, ...change } });

const NOTHING = { criteria: [], findings: [] };

for (const [phase, change] of [
  ['observation_grounding', { verifyObservation: () => ({ ok: true, confirmed: 'all', validator: '' }) }],
  ['validation_check', { judgeStep: () => ({ ...NOTHING, scores: { utility: 7 } }) }],
  ['termination_check', { judgeRun: () => ({ ...NOTHING, scores: { utility: Number.NaN }, unmet: [] }) }],
] as const satisfies readonly (readonly [PhaseName, Partial<TurnEnv['critic']>])[]) {
  verifies(ID, `${phase}: so does a judge`, () => {
    const run = begun({ change: critic(change) });
    run.say(answered(run));
    expectStopped(run, phase);
  });
}

verifies(
  ID,
  'goal_intake and tool_invocation: what comes from outside is refused before anything starts from it',
  () => {
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
  },
);

verifies(
  ID,
  'every event that ends a phase is looked at: a field of it that is gone or of another kind is found',
  () => {
    const kinds = new Map<string, RunEvent>();
    for (const code of TERMINAL_CODES) for (const event of WAYS[code]().events) kinds.set(event.type, event);
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
  },
);

/** For every field that a phase has to hand over something that it can be, and something that it cannot. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, readonly [good: unknown, bad: unknown]>>>> = {
  goal_received: {
    goal: [{ goal_id: 'g', statement: '', intent: 'i', acceptance_criteria: [] }, {}],
    identity: [{}, []],
  },
  scope_resolved: {
    token: [{ actor: 'a', tenant_id: 't', allowed_tools: [], approval_authority: 'none' }, {}],
  },
  policy_checked: { cleared: [true, 1] },
  run_initialized: {
    manifest: [{ run_id: 'r', autonomy_boundary: {}, workflow_graph_version: 'g' }, {}],
    caps: [{}, null],
  },
  plan_verified: { verdict: ['ok', ''], plan_hash: ['h', ''], projected: [{}, []] },
  step_refused: { step_id: ['a', ''], layer: ['risk', ''], code: ['c', 1] },
  step_cleared: { step_id: ['a', ''], args: [{}, []], args_hash: ['h', ''], mode: ['m', null], gates: [[], {}] },
  step_observed: { call_id: ['c', ''], outcome: ['ok', 1], raw: [null, undefined], spent: [{}, null] },
  step_verified: { call_id: ['c', ''], ok: [false, 0], confirmed: ['all', undefined], validator: ['v', ''] },
  step_committed: { version: [1, 0], evidence_id: ['e', ''] },
  step_judged: { step_id: ['a', ''], scores: [{ utility: 1 }, { utility: 2 }], criteria: [{}, { safety: '1' }] },
  reflection_made: { trigger: ['t', ''], note: ['', null] },
  run_judged: { scores: [{}, []], unmet: [[], {}] },
  run_escalated: { escalation: [{ escalation_id: 'e', trigger: 't', recipient: 'r' }, {}], stop: [{}, []] },
  response_compiled: { claims: [[], {}], text: ['', 1] },
  memory_proposed: { proposals: [[], null] },
  run_terminated: { code: ['c', ''], reason: ['r', ''], record: ['h', 1] },
};

for (const [type, fields] of Object.entries(FIELDS)) {
  verifies(ID, `${type}: each field is looked at, and the one that is wrong is named`, () => {
    const values = Object.fromEntries(Object.entries(fields).map(([field, [good]]) => [field, good]));
    const looked = (change: object): ReturnType<typeof malformedHandoff> =>
      malformedHandoff({ type, at: 0, ...values, ...change } as unknown as RunEvent);
    expect(looked({})).toBeNull();
    for (const [field, [, bad]] of Object.entries(fields)) {
      const ending = bad === undefined ? 'is missing' : 'is not what the next phase can start from';
      const message = expect.stringMatching(new RegExp(`a malformed ${type}: ${field} ${ending}$`));
      expect(looked({ [field]: bad })).toMatchObject({ path: `/${field}`, message });
      expect(looked({ [field]: undefined })?.message).toMatch(new RegExp(`${field} is missing$`));
    }
  });
}

verifies(ID, 'nothing is a token that nobody needed and the hash of a plan that was not accepted', () => {
  const looked = (event: object): unknown => malformedHandoff(event as RunEvent);
  expect(looked({ type: 'scope_resolved', token: null })).toBeNull();
  expect(looked({ type: 'plan_verified', verdict: 'replan', plan_hash: null, projected: {} })).toBeNull();
});
