/** Rejects a journal in which a call was cleared without its policies or against them. */
import { describe, expect, test } from 'vitest';
import { assertPermitted, decisionOn } from '../../../src/kernel/query/call/policy-record.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import type { EventOf } from '../../../src/model/events/event.ts';
import { AS_PLANNED, type PolicyDecision } from '../../../src/model/policy/policy-decision.ts';
import { policyDisagreement } from '../../../src/replay/replay.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';
import { cedar, codeAuthorizer, eventsOf } from './bench.ts';

type Cleared = Omit<EventOf<'step_cleared'>, 'at'>;
type Forge = (cleared: Cleared, decided: PolicyDecision) => Cleared;

const RULES = cedar('@id("ask") @gate("GATE_A") permit (principal, action, resource);');

/** A run whose clearance answers are replaced by `forge`. */
function runForging(forge: Forge): ReturnType<typeof turns> {
  const run = turns({
    tools: { look: { produces: ['done'] } },
    world: { policy: { calls: RULES } },
    change: ({ local }) => ({
      local: (state, effect) => {
        const answer = local(state, effect);
        const { event } = answer;
        if (event.type !== 'step_cleared') return answer;
        const decided = decisionOn(state, event);
        if (decided === undefined) throw new Error('nothing was decided');
        return { ...answer, event: forge(event, decided) };
      },
    }),
  });
  run.say(proposed(planOf([{ id: 'a', tool: 'look' }])));
  return run;
}

test.each<[string, Forge]>([
  ['as planned', (cleared) => ({ ...cleared, policy: AS_PLANNED })],
  ['in full', (cleared, policy) => ({ ...cleared, policy })],
])('waits at its gate with the true decision, recorded %s', (_form, forge) => {
  const { events } = runForging(forge);
  expect(eventsOf(events, 'gate_opened')).toMatchObject([{ name: 'GATE_A' }]);
});

test.each<[string, Forge]>([
  ['no policy was asked', ({ policy: _, ...cleared }) => cleared],
  ['the policy forbids', (cleared, decided) => ({ ...cleared, policy: { ...decided, effect: 'forbid' } })],
  ['other policies', (cleared, decided) => ({ ...cleared, policy: { ...decided, version: 'other@1' } })],
  ['were left out', (cleared, policy) => ({ ...cleared, policy, gates: [] })],
  ['were left out', (cleared) => ({ ...cleared, policy: AS_PLANNED, gates: [] })],
])('%s: sends nothing', (why, forge) => {
  const { state, events, outbox } = runForging(forge);
  expect(state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL', reason: 'event_illegal' });
  expect(JSON.stringify(eventsOf(events, 'run_terminated'))).toContain(why);
  expect(outbox.filter(({ kind }) => kind === 'call_tool')).toEqual([]);
});

describe('as planned', () => {
  /** The run when the payment is cleared, with the facts that the policies saw by then. */
  function atPayment(): readonly [Turns, RunState, Cleared] {
    const seen: [RunState, Cleared][] = [];
    const run = turns({
      tools: { look: {}, pay: { produces: ['done'] } },
      world: { policy: { calls: codeAuthorizer(() => 'permit') } },
      change: ({ local }) => ({
        local: (state, effect) => {
          const answer = local(state, effect);
          if (answer.event.type === 'step_cleared') seen.push([state, answer.event]);
          return answer;
        },
      }),
    });
    const amount = { $from: 'a', path: '/ok' };
    run.say(
      proposed(
        planOf([
          { id: 'a', tool: 'look' },
          { id: 'b', tool: 'pay', depends_on: ['a'], params: { amount } },
        ]),
      ),
    );
    run.say(answered(run));
    const [state, cleared] = seen.at(-1) ?? [];
    if (state === undefined || cleared?.step_id !== 'b') throw new Error('nothing was paid');
    return [run, state, cleared];
  }

  test('is rejected for a call whose policy request has changed since planning', () => {
    const [{ env }, state, cleared] = atPayment();
    expect(policyDisagreement(env, state, cleared)).toBeNull();
    const forged = policyDisagreement(env, state, { ...cleared, policy: AS_PLANNED });
    expect(forged).toContain('the policy decides otherwise about b');
  });

  test('is rejected if nothing was decided with the plan', () => {
    const [{ env }, state, cleared] = atPayment();
    const undecided = { ...state, planning: { ...state.planning, decisions: new Map() } };
    const forged = { ...cleared, policy: AS_PLANNED, at: state.now } as const;
    expect(() => assertPermitted(env, undecided, forged)).toThrow('no policy was asked');
  });
});
