/** What a lane brings enters the state of its parent when the parent's Critic has accepted it, and not before. */
import { describe, expect, test } from 'vitest';
import type { RunState } from '../../../src/kernel/state.ts';
import { vecToArray } from '../../../src/kernel/vec.ts';
import type { EventBody } from '../../../src/model/event.ts';
import type { Json } from '../../../src/model/json.ts';
import type { LaneEnvelope, LaneSeat } from '../../../src/model/lane.ts';
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
function opened(options: Partial<RigOptions> = {}): { readonly run: Turns; readonly seat: LaneSeat } {
  const run = turns({ ...OPTIONS, ...options });
  run.say(proposed(planOf([{ id: 's1', tool: 'delegate' }])));
  const [spawned] = run.outbox;
  if (spawned?.kind !== 'spawn_lane') throw new Error(`${spawned?.kind} was sent`);
  return { run, seat: spawned.seat };
}

function envelope(seat: LaneSeat, changes: Partial<LaneEnvelope> = {}): LaneEnvelope {
  const { lane_id, run_id, parent_run_id, span_id } = seat;
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

/** What the run rests on: facts, evidence by kind, what was changed. */
const effectsOf = ({ work }: RunState) => ({
  byType: work.evidenceByType,
  facts: vecToArray(work.progress).map(({ fact }) => fact),
  effects: work.effects.size,
});

verifies('lane:result:parent-critic-accepts', 'an envelope changes nothing until the Critic has accepted it', () => {
  const { run, seat } = opened();
  const before = effectsOf(run.state);
  run.say({ type: 'lane_suspended', call_id: 'call_1', run_id: seat.run_id, waits: { gates: [], cause: 'question' } });
  expect(effectsOf(run.state)).toEqual(before);
  run.say(returned(envelope(seat)));
  const kinds = run.events.map(({ type }) => type);
  expect(kinds.indexOf('lane_returned')).toBeLessThan(kinds.indexOf('step_verified'));
  expect(kinds.indexOf('step_verified')).toBeLessThan(kinds.indexOf('step_committed'));
  expect(run.state.work.evidenceByType).toEqual({ done: 'ev_1' });
  expect(run.state.work.lanes).toEqual([expect.objectContaining({ lane_id: seat.lane_id, ruling: 'accepted' })]);
  expect(run.state.ending.terminal?.code).toBe('SUCCESS');
});

describe('what the Critic does not accept', () => {
  verifies('lane:result:parent-critic-rejects', 'is dropped, and the record says which lane it was and why', () => {
    const low = { scores: { policy: 1, utility: 0.1 }, criteria: [], findings: [] };
    const change: Parameters<typeof turns>[0]['change'] = ({ critic }) => ({
      critic: { ...critic, judgeStep: (facts) => (facts.step.tool === 'delegate' ? low : critic.judgeStep(facts)) },
    });
    const { run, seat } = openedWith(change);
    const before = effectsOf(run.state);
    run.say(returned(envelope(seat)));
    expect(run.events.some(({ type }) => type === 'step_judged')).toBe(true);
    expect(effectsOf(run.state)).toEqual(before);
    expect(run.state.work.lanes).toEqual([
      expect.objectContaining({
        lane_id: seat.lane_id,
        ruling: 'rejected',
        reason: expect.stringContaining('confidence'),
      }),
    ]);
    // The run goes on without it, and what it brought is no evidence of anything.
    if (run.state.ending.inFlight === 'plan')
      run.say(proposed(planOf([{ id: 's2', tool: 'finish' }], { plan_id: 'p2' })));
    expect(run.state.work.dropped).toEqual(['ev_1']);
  });

  verifies(
    'lane:output:typed-envelope',
    'a lane that brings something else than it declares is an observation that failed',
    () => {
      const { run, seat } = opened();
      const before = effectsOf(run.state);
      run.say(returned(envelope(seat, { results: [] })));
      expect(run.events.find(({ type }) => type === 'step_verified')).toMatchObject({ ok: false });
      expect(effectsOf(run.state)).toEqual(before);
      expect(run.state.work.lanes).toEqual([expect.objectContaining({ ruling: 'rejected' })]);
    },
  );

  function openedWith(change: NonNullable<Parameters<typeof turns>[0]['change']>) {
    const run = turns({ ...OPTIONS, change });
    run.say(proposed(planOf([{ id: 's1', tool: 'delegate' }])));
    const [spawned] = run.outbox;
    if (spawned?.kind !== 'spawn_lane') throw new Error(`${spawned?.kind} was sent`);
    return { run, seat: spawned.seat };
  }
});

describe('what is no envelope of the lane', () => {
  const cases: readonly (readonly [string, (seat: LaneSeat) => unknown])[] = [
    ['nothing', () => null],
    ['prose', () => 'all is well'],
    ['an envelope with a field more', (seat) => ({ ...envelope(seat), approve: 'everything' })],
    ['one of another lane', (seat) => envelope(seat, { lane_id: 'lane_other' })],
    ['one of another run', (seat) => envelope(seat, { run_id: 'run_other' })],
    ['one under the span of another lane', (seat) => envelope(seat, { span_id: 'f'.repeat(16) })],
    ['one for another parent', (seat) => envelope(seat, { parent_run_id: 'run_other' })],
    ['one with a counter nobody counts', (seat) => envelope(seat, { budget_used: { charm: 3 } })],
    ['one that says two things under one key', (seat) => envelope(seat, { results: twice(seat) })],
    ['one that has spent less than nothing', (seat) => ({ ...envelope(seat), budget_used: { tool_calls: -5 } })],
  ];
  const twice = (seat: LaneSeat): LaneEnvelope['results'] => [...envelope(seat).results, ...envelope(seat).results];

  for (const [what, make] of cases) {
    verifies(
      'lane:output:typed-envelope',
      `${what}: lane_envelope_invalid, and all that was set aside is charged`,
      () => {
        const { run, seat } = opened();
        run.say(returned(make(seat)));
        expect(run.state.work.lanes).toEqual([
          expect.objectContaining({
            status: 'unknown',
            ruling: 'rejected',
            reason: expect.stringContaining('lane_envelope_invalid'),
          }),
        ]);
        expect(run.state.work.evidenceByType).toEqual({});
        expect(run.state.budget?.used.tool_calls).toBe(seat.caps.tool_calls_max);
      },
    );
  }
});

test('a lane is given no more time than the run above has left', () => {
  const run = turns(OPTIONS);
  const { wall_clock_seconds_max = 0 } = OPTIONS.caps ?? {};
  run.say(proposed(planOf([{ id: 's1', tool: 'delegate' }])), (wall_clock_seconds_max - 20) * 1_000);
  const [spawned] = run.outbox;
  expect(spawned).toMatchObject({ kind: 'spawn_lane', seat: { caps: { wall_clock_seconds_max: 20 } } });
});

test('a lane that nobody opened, or that has ended before, is not heard', () => {
  const { run, seat } = opened();
  const other = { type: 'lane_returned', call_id: 'call_9', envelope: envelope(seat) as unknown as Json } as const;
  expect(run.refusal(other).code).toBe('event_illegal');
  run.say(returned(envelope(seat)));
  expect(run.refusal(returned(envelope(seat))).code).toBe('session_terminal');
});

test('what a lane brings from a source that nobody trusts stays untrusted', () => {
  const { run, seat } = opened();
  const [done] = envelope(seat).results;
  if (done === undefined) throw new Error('no result');
  run.say(returned(envelope(seat, { results: [{ ...done, trusted: false }] })));
  expect(run.state.planning.exposed).toBe(true);
  expect(effectsOf(run.state).facts).toEqual([expect.objectContaining({ trusted: false })]);
});
