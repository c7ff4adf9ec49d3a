/** Tests that names of Object.prototype members are ordinary names of steps, tools, gates and evidence types. */
import { describe, expect, test } from 'vitest';
import { compileResponse } from '../../../src/record/response.ts';
import { answered, proposed, turns } from '../endings/turns.ts';
import { operator, planOf, rig } from '../rig.ts';

const NAMES = ['toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', '__defineGetter__'];

describe.each(NAMES)('%s', (name) => {
  test('works as tool, step, gate, parameter and evidence name in one run', async () => {
    const bench = rig({
      tools: { [name]: { approval_mode: 'destructive', gates: [name], produces: [name, 'done'] } },
      plans: [planOf([{ id: name, tool: name, requires: [name], params: { [name]: 1 } }])],
    });
    const waiting = await bench.invoke();
    const [gate] = waiting.pending;
    if (gate === undefined) throw new Error('no gate');
    const { gateId, packetHash } = gate;
    const done = await bench.settle(
      bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'fine' }),
    );
    expect(done.terminalCode).toBe('SUCCESS');
    expect(bench.dispatches).toMatchObject([{ tool: name, args: { [name]: 1 } }]);
    await bench.runtime.records.replay(done.runId);
  });

  test('as a new step id, does not count as already done', () => {
    const run = turns({ tools: { read: { retries_max: 0 }, finish: { produces: ['done'] } } });
    run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
    run.say(answered(run, { outcome: 'error', raw: null }));
    run.say(proposed(planOf([{ id: name, tool: 'finish' }], { plan_id: 'plan_2' })));
    expect(run.outbox).toMatchObject([{ kind: 'call_tool', call: { step_id: name } }]);
    run.say(answered(run));
    expect(run.state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
  });

  test('as an evidence type, does not count as existing evidence', () => {
    const criterion = { id: 'c', statement: 'It is so.', rank: 'primary' as const, evidence: name };
    const goal = { goal_id: 'g', statement: 'x', intent: 'work', constraints: [], acceptance_criteria: [criterion] };
    const response = compileResponse({
      goal: goal as unknown as Parameters<typeof compileResponse>[0]['goal'],
      evidenceByType: {},
      disputed: [],
      direct: null,
      reply: null,
      intents: [],
      shown: [],
      sentences: null,
      specOf: () => ({ output_schema: {} }),
    });
    expect(response).toMatchObject({ claims: [], text: '' });
  });
});
