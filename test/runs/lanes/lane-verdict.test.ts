/** Tests that the result of a lane enters the state of its parent only after the parent's Critic accepts it. */
import { describe, expect, test } from 'vitest';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { vecToArray } from '../../../src/kernel/state/vec.ts';
import type { EventBody } from '../../../src/model/events/event.ts';
import type { Json } from '../../../src/model/json/json.ts';
import type { LaneContext, LaneEnvelope } from '../../../src/model/run/lane.ts';
import { verifies } from '../../requirements/verifies.ts';
import { proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf, type RigOptions } from '../rig.ts';
import { benchAgent, benchLane } from './bench.ts';

const worker = benchAgent({ name: 'reader', tools: { look: { produces: ['done'] } }, plans: [] });
const { spec } = benchLane('delegate', worker, {
  task: { outputSchema: { type: 'object', properties: { done: { type: 'object' } }, required: ['done'] } },
});
const { name: _, ...delegate } = spec;
const OPTIONS: RigOptions = {
  tools: { delegate, look: { produces: ['done'] }, finish: { produces: ['done'] } },
  caps: { ...CAPS, lanes_max: 3, replan_attempts_max: 2 },
};

/** A run that has just opened a lane. */
function opened(options: Partial<RigOptions> = {}): { readonly run: Turns; readonly lane: LaneContext } {
  const run = turns({ ...OPTIONS, ...options });
  run.say(proposed(planOf([{ id: 's1', tool: 'delegate' }])));
  const [spawned] = run.outbox;
  if (spawned?.kind !== 'spawn_lane') throw new Error(`${spawned?.kind} was sent`);
  return { run, lane: spawned.laneContext };
}

function envelope(lane: LaneContext, changes: Partial<LaneEnvelope> = {}): LaneEnvelope {
  const { lane_id, run_id, parent_run_id, span_id } = lane;
  const done = { key: 'done', type: 'done', value: { found: 7 }, evidence_refs: [`${run_id}/ev_1`], trusted: true };
  return {
    lane_id,
    run_id,
    parent_run_id,
    span_id,
    status: 'completed',
    terminal_code: 'SUCCESS',
    reason: 'goal_met',
    results: [done],
    transcripts: ['call_1'],
    budget_used: { tool_calls: 1, steps: 1 },
    loop_guard_trips: 0,
    ...changes,
  };
}

const returned = (envelope: unknown): EventBody => ({
  type: 'lane_returned',
  call_id: 'call_1',
  envelope: envelope as Json,
});

/** Facts, evidence and effects of a run. */
const effectsOf = ({ work }: RunState) => ({
  byType: work.evidenceByType,
  facts: vecToArray(work.progress).map(({ fact }) => fact),
  effects: work.effects.size,
});

verifies('lane:result:parent-critic-accepts', 'an envelope changes nothing until the Critic has accepted it', () => {
  const { run, lane } = opened();
  const before = effectsOf(run.state);
  run.say({ type: 'lane_suspended', call_id: 'call_1', run_id: lane.run_id, waits: { gates: [], cause: 'question' } });
  expect(effectsOf(run.state)).toEqual(before);
  run.say(returned(envelope(lane)));
  const kinds = run.events.map(({ type }) => type);
  expect(kinds.indexOf('lane_returned')).toBeLessThan(kinds.indexOf('step_verified'));
  expect(kinds.indexOf('step_verified')).toBeLessThan(kinds.indexOf('step_committed'));
  expect(run.state.work.evidenceByType).toEqual({ done: 'ev_1' });
  expect(run.state.work.lanes).toEqual([expect.objectContaining({ lane_id: lane.lane_id, ruling: 'accepted' })]);
  expect(run.state.ending.terminal?.code).toBe('SUCCESS');
});

describe('a result that the Critic does not accept', () => {
  verifies('lane:result:parent-critic-rejects', 'is dropped, and the record names the lane and the reason', () => {
    const low = { scores: { policy: 1, utility: 0.1 }, criteria: [], findings: [] };
    const change: Parameters<typeof turns>[0]['change'] = ({ critic }) => ({
      critic: { ...critic, judgeStep: (facts) => (facts.step.tool === 'delegate' ? low : critic.judgeStep(facts)) },
    });
    const { run, lane } = openedWith(change);
    const before = effectsOf(run.state);
    run.say(returned(envelope(lane)));
    expect(run.events.some(({ type }) => type === 'step_judged')).toBe(true);
    expect(effectsOf(run.state)).toEqual(before);
    expect(run.state.work.lanes).toEqual([
      expect.objectContaining({
        lane_id: lane.lane_id,
        ruling: 'rejected',
        reason: expect.stringContaining('confidence'),
      }),
    ]);
    // The run continues without it, and its result is no evidence.
    if (run.state.ending.inFlight === 'plan')
      run.say(proposed(planOf([{ id: 's2', tool: 'finish' }], { plan_id: 'p2' })));
    expect(run.state.work.dropped).toEqual(['ev_1']);
  });

  verifies('lane:output:typed-envelope', 'fails verification if it does not match the declared output', () => {
    const { run, lane } = opened();
    const before = effectsOf(run.state);
    run.say(returned(envelope(lane, { results: [] })));
    expect(run.events.find(({ type }) => type === 'step_verified')).toMatchObject({ ok: false });
    expect(effectsOf(run.state)).toEqual(before);
    expect(run.state.work.lanes).toEqual([expect.objectContaining({ ruling: 'rejected' })]);
  });

  function openedWith(change: NonNullable<Parameters<typeof turns>[0]['change']>) {
    const run = turns({ ...OPTIONS, change });
    run.say(proposed(planOf([{ id: 's1', tool: 'delegate' }])));
    const [spawned] = run.outbox;
    if (spawned?.kind !== 'spawn_lane') throw new Error(`${spawned?.kind} was sent`);
    return { run, lane: spawned.laneContext };
  }
});

describe('an invalid envelope', () => {
  const cases: readonly (readonly [string, (lane: LaneContext) => unknown])[] = [
    ['null', () => null],
    ['prose', () => 'all is well'],
    ['an envelope with an unknown field', (lane) => ({ ...envelope(lane), approve: 'everything' })],
    ['an envelope of another lane', (lane) => envelope(lane, { lane_id: 'lane_other' })],
    ['an envelope of another run', (lane) => envelope(lane, { run_id: 'run_other' })],
    ['an envelope with another span', (lane) => envelope(lane, { span_id: 'f'.repeat(16) })],
    ['an envelope for another parent', (lane) => envelope(lane, { parent_run_id: 'run_other' })],
    ['an envelope with an unknown counter', (lane) => envelope(lane, { budget_used: { charm: 3 } })],
    ['an envelope with a duplicate key', (lane) => envelope(lane, { results: twice(lane) })],
    ['an envelope with negative spending', (lane) => ({ ...envelope(lane), budget_used: { tool_calls: -5 } })],
  ];
  const twice = (lane: LaneContext): LaneEnvelope['results'] => [...envelope(lane).results, ...envelope(lane).results];

  for (const [what, make] of cases) {
    verifies(
      'lane:output:typed-envelope',
      `${what}: rejects it as lane_envelope_invalid and charges the complete reservation`,
      () => {
        const { run, lane } = opened();
        run.say(returned(make(lane)));
        expect(run.state.work.lanes).toEqual([
          expect.objectContaining({
            status: 'unknown',
            ruling: 'rejected',
            reason: expect.stringContaining('lane_envelope_invalid'),
          }),
        ]);
        expect(run.state.work.evidenceByType).toEqual({});
        expect(run.state.budget?.used.tool_calls).toBe(lane.caps.tool_calls_max);
      },
    );
  }
});

test('gives a lane no more time than its parent has left', () => {
  const run = turns(OPTIONS);
  const { wall_clock_seconds_max = 0 } = OPTIONS.caps ?? {};
  run.say(proposed(planOf([{ id: 's1', tool: 'delegate' }])), (wall_clock_seconds_max - 20) * 1_000);
  const [spawned] = run.outbox;
  expect(spawned).toMatchObject({ kind: 'spawn_lane', laneContext: { caps: { wall_clock_seconds_max: 20 } } });
});

test('refuses the return of a lane that was not opened or has already returned', () => {
  const { run, lane } = opened();
  const other = { type: 'lane_returned', call_id: 'call_9', envelope: envelope(lane) as unknown as Json } as const;
  expect(run.refusal(other).code).toBe('event_illegal');
  run.say(returned(envelope(lane)));
  expect(run.refusal(returned(envelope(lane))).code).toBe('session_terminal');
});

test('keeps an untrusted result of a lane untrusted', () => {
  const { run, lane } = opened();
  const [done] = envelope(lane).results;
  if (done === undefined) throw new Error('no result');
  run.say(returned(envelope(lane, { results: [{ ...done, trusted: false }] })));
  expect(run.state.planning.exposed).toBe(true);
  expect(effectsOf(run.state).facts).toEqual([expect.objectContaining({ trusted: false })]);
});
