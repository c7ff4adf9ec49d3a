/** A context above 80 % of its limit is compressed once before the next model call, or the run halts. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import { step } from '../../../src/kernel/machine/step.ts';
import { initialState } from '../../../src/kernel/transition/initial-state.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { kernelOf } from '../graphs/kernel.ts';
import { agentFor, CAPS, planOf, REQUEST, START_MS, toolSpec } from '../rig.ts';

const TOOLS = { read: { retries_max: 0, produces: ['done'] } };

/** The first plan had this many context tokens. Its step failed, so the run needs a second plan. */
function replanningRun(context_tokens: number, contextLimit = 200_000): Turns {
  const run = turns({ tools: TOOLS, options: { limits: { contextLimit } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }]), { context_tokens }));
  run.say(answered(run, { outcome: 'error', raw: null }));
  return run;
}

const ITEM = {
  source_id: 'crm',
  permission_scope: 'all',
  observed_at: START_MS,
  fresh_until: START_MS + 3_600_000,
  trusted: true,
  authority: 1,
  personal_data: false,
};
const CONTEXT = {
  context_id: 'context_1',
  pack_pin: 'ctxpack.bench@1.0.0',
  snapshot_pin: 'kg_1',
  compiled_at: START_MS,
  memory_snapshot: null,
};

const compressed = (tokens: number, lost: readonly string[] = []) =>
  ({ type: 'context_compressed', lost, tokens, pointer: 'trace_1@1' }) as const;

verifies(
  ['compress:threshold:pause-above-80-percent', 'reflection:context-bloat:one-compression'],
  'calls the planner at 80 %; compresses the context first one token above',
  () => {
    expect(replanningRun(80_000).outbox).toMatchObject([{ kind: 'propose_plan' }]);
    const run = replanningRun(80_001);
    expect(run.outbox).toEqual([{ kind: 'compress_context' }]);
    run.say(compressed(40_000));
    expect(run.outbox).toMatchObject([{ kind: 'propose_plan', attempt: 2 }]);
    expect(run.state.counters.compressions).toBe(1);
  },
);

verifies('compress:threshold:pause-above-80-percent', 'uses the smaller of model context and context cap', () => {
  expect(replanningRun(40_001, 50_000).outbox).toEqual([{ kind: 'compress_context' }]);
  expect(replanningRun(40_000, 50_000).outbox).toMatchObject([{ kind: 'propose_plan' }]);
});

verifies(
  ['reflection:context-bloat:one-compression', 'pathology:context-bloat:usage-over-threshold'],
  'halts if still above after one pass, without a second',
  () => {
    const run = replanningRun(90_000);
    run.say(compressed(80_001));
    expect(run.outbox).toEqual([]);
    expect(run.state.ending.terminal).toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      detail: { dimension: 'context_tokens', tokens: 80_001 },
    });
    expect(eventsOf(run.events, 'context_compressed')).toHaveLength(1);
  },
);

verifies('reflection:context-bloat:one-compression', 'makes no second compression when the context grows again', () => {
  const run = replanningRun(90_000);
  run.say(compressed(10_000));
  run.say(proposed(planOf([{ id: 'b', tool: 'read' }], { plan_id: 'plan_2' }), { context_tokens: 90_000 }));
  run.say(answered(run, { outcome: 'error', raw: null }));
  expect(run.outbox).toEqual([]);
  expect(run.state.ending.terminal).toMatchObject({ code: 'BUDGET_EXHAUSTED', reason: 'context_pressure' });
});

verifies(
  ['pathology:context-bloat:usage-over-threshold', 'budget:control-context:compress-or-halt'],
  'a compression that lost required content ends the run with its context unchanged',
  () => {
    const run = replanningRun(90_000);
    run.say(compressed(10_000, ['approval_state']));
    expect(run.outbox).toEqual([]);
    expect(run.state.budget?.context_tokens).toBe(90_000);
    expect(run.state.ending.terminal).toMatchObject({ code: 'UNSAFE_DETECTION', reason: 'compression_unsafe' });
  },
);

verifies(
  'budget:control-context:compress-or-halt',
  'BUDGET_EXHAUSTED if the required content alone is too large',
  () => {
    const run = replanningRun(100_000);
    run.say(compressed(100_000));
    expect(run.state.ending.terminal).toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      detail: { dimension: 'context_tokens', budget: { caps: { context_tokens_max: CAPS.context_tokens_max } } },
    });
  },
);

verifies(
  'budget:control-context:compress-or-halt',
  'the run continues after a compression that points to the earlier state',
  async () => {
    const clock = simulatedClock(START_MS);
    let calls = 0;
    const execute = () => {
      calls += 1;
      if (calls === 1) throw new Error('not yet');
      return { ok: true };
    };
    const tools = { look: { produces: ['seen'] }, ...TOOLS };
    const look = { id: 'look', tool: 'look' };
    const plans = ['a', 'b'].map((id) =>
      planOf([look, { id, tool: 'read', depends_on: ['look'] }], { plan_id: `plan_${id}` }),
    );
    // A large context item that the run has since looked up itself.
    const largeItem = { ...ITEM, key: 'told', type: 'seen', value: 'x'.repeat(340_000) };
    const context = { ...CONTEXT, items: [largeItem, { ...ITEM, key: 'other', type: 'other', value: 1 }] };
    const planner = scriptedPlanner(plans, { contextTokens: 90_000 });
    const runtime = ambit({
      agent: agentFor(['look', 'read']),
      tools: [
        { spec: toolSpec('look', tools.look), execute: () => ({ seen: true }) },
        { spec: toolSpec('read', TOOLS.read), execute },
      ],
      planner,
      world: { clock, timer: clock, context },
    });
    const outcome = await runtime.invoke(REQUEST);
    expect(planner.requests.map((request) => request.context.items.map(({ key }) => key))).toEqual([
      ['told', 'other'],
      ['other'],
    ]);
    expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
    const events = (await runtime.records.frames(outcome.runId)).flatMap(
      (frame) => JSON.parse(frame.events) as RunEvent[],
    );
    const [compression] = eventsOf(events, 'context_compressed');
    expect(compression).toMatchObject({ lost: [], demoted: ['context:told'], tokens: 5_000 });
    const seq = Number(compression?.pointer.split('@')[1]);
    const env = kernelOf({ tools });
    let state = initialState(env);
    for (const event of events.slice(0, seq)) [state] = step(env, state, event);
    expect(state).toMatchObject({ budget: { context_tokens: 90_000 }, ending: { inFlight: 'compression' } });
    expect(events[seq]).toBe(compression);
  },
);
