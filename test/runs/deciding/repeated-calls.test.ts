/** Tests how a run goes on whose calls repeat: successes are reviewed, and each allowance covers one call. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../../src/index.ts';
import type { EventBody } from '../../../src/model/events/event.ts';
import type { Plan, PlanStep } from '../../../src/model/plan/plan.ts';
import { CAPS, handoverPacket, operator, planOf, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';

const equalCalls = (count: number): Plan =>
  planOf([
    ...Array.from({ length: count }, (_, n) => ({ id: `s${n + 1}`, tool: 'poll', params: { job: 'j_1' } })),
    { id: 'end', tool: 'finish' },
  ]);

const polling = (count: number, poll: RigTool = {}): RigOptions => ({
  tools: { poll, finish: { produces: ['done'] } },
  plans: [equalCalls(count)],
});

const polls = ({ dispatches }: Rig): number => dispatches.filter((sent) => sent.tool === 'poll').length;

type Outcome = Awaited<ReturnType<Rig['invoke']>>;

function goOn(bench: Rig, waiting: Outcome): Promise<Outcome> {
  const word = { decision: 'continue', by: 'ben', reason: 'once more' } as const;
  const input: EventBody = { type: 'escalation_decided', ...word, ...handoverPacket(waiting) };
  return bench.settle(bench.runtime.sessions.send('run_1', input));
}

describe('equal calls that succeeded', () => {
  test('are handed over for review before the fourth, and each allowance covers one call', async () => {
    const bench = rig(polling(5));
    const fourth = await bench.invoke();
    expect(fourth).toMatchObject({ status: 'paused', suspended: { code: 'REVIEW_REQUIRED', reason: 'loop_detected' } });
    expect(fourth.why.join(' ')).toContain('repeated_call of poll occurred 4 times; the limit is 3');
    expect(polls(bench)).toBe(3);
    const fifth = await goOn(bench, fourth);
    expect(polls(bench)).toBe(4);
    expect(fifth).toMatchObject({ status: 'paused', suspended: { code: 'REVIEW_REQUIRED', reason: 'loop_detected' } });
    expect(await goOn(bench, fifth)).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(polls(bench)).toBe(5);
    await bench.runtime.records.replay('run_1');
  });

  test('are permitted up to the limit of their tool', async () => {
    const within = rig(polling(10, { limits: { equal_calls: 10 } }));
    expect(await within.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    const beyond = rig(polling(11, { limits: { equal_calls: 10 } }));
    expect(await beyond.invoke()).toMatchObject({ suspended: { code: 'REVIEW_REQUIRED' } });
    expect(polls(beyond)).toBe(10);
  });

  test('count by the limit of the tool behind a dispatcher', async () => {
    const steps = Array.from({ length: 5 }, (_, n) => ({
      id: `s${n + 1}`,
      tool: 'run',
      params: { name: 'poll', with: { job: 'j_1' } },
    }));
    const bench = rig({
      tools: {
        run: { unwrap: { tool: '/name', args: '/with' } },
        poll: { limits: { equal_calls: 5 } },
        finish: { produces: ['done'] },
      },
      plans: [planOf([...steps, { id: 'end', tool: 'finish' }])],
    });
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches).toHaveLength(6);
  });
});

test('a limit of equal calls is an option of a tool', () => {
  const poll = tool({
    name: 'jobs.poll',
    description: 'Polls a job',
    approvalMode: 'read_only',
    inputSchema: z.object({}),
    outputSchema: z.object({}),
    execute: () => ({}),
    limits: { equalCalls: 10 },
  });
  expect(poll.spec.limits).toEqual({ equal_calls: 10 });
});

test('equal calls of which one failed are a repeated failure', async () => {
  let calls = 0;
  const execute: RigTool['execute'] = () => {
    calls += 1;
    if (calls === 1) throw new Error('down');
    return { ok: true };
  };
  const bench = rig({
    ...polling(4, { retries_max: 0, execute }),
    plans: [equalCalls(4), equalCalls(4)],
    caps: { ...CAPS, replan_attempts_max: 2, replan_rationale: 'to repeat it' },
  });
  const run = await bench.invoke();
  expect(polls(bench)).toBe(3);
  expect(run).toMatchObject({ suspended: { code: 'REPEATED_FAILURE', reason: 'loop_detected' } });
});

describe('approved calls that fail in a row', () => {
  const pay: RigTool = {
    side_effect: true,
    approval_mode: 'network',
    gates: ['GATE_PAY'],
    idempotency: { kind: 'natural' },
    retries_max: 0,
    produces: ['done'],
    execute: () => {
      throw new Error('declined');
    },
  };
  const caps = { ...CAPS, replan_attempts_max: 9, replan_rationale: 'to see it stop', retry_count_max: 9 };
  const step = (n: number): PlanStep => ({ id: `s${n}`, tool: 'pay', params: { n }, requires: ['GATE_PAY'] });

  async function approveAll(bench: Rig): Promise<Outcome> {
    let run = await bench.invoke();
    for (let approved = 0; run.pending[0] !== undefined && approved < 9; approved += 1) {
      const { gateId, packetHash } = run.pending[0];
      const answer = { packetHash, credential: operator('ana'), reason: 'try it' };
      run = await bench.settle(bench.runtime.gates.approve(gateId, answer));
    }
    return run;
  }

  test('of optional steps hand the run over before a fourth gate', async () => {
    const steps = [1, 2, 3, 4].map((n) => ({ ...step(n), optional: true }));
    const bench = rig({ tools: { pay }, plans: [planOf(steps)], caps });
    const run = await approveAll(bench);
    expect(bench.dispatches).toHaveLength(3);
    expect(run).toMatchObject({
      status: 'paused',
      terminalCode: null,
      suspended: { code: 'REPEATED_FAILURE', reason: 'approved_calls_failed', detail: { step_id: 's4', tool: 'pay' } },
    });
    expect(run.why).toContain('pay failed: declined');
    expect(await goOn(bench, run)).toMatchObject({ status: 'awaiting_gate', pending: [{ stepId: 's4' }] });
    await bench.runtime.records.replay('run_1');
  });
});
