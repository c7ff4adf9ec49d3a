/** A failed step is an observation: the planner sees it and decides again. */
import { expect, test } from 'vitest';
import { Fault } from '../../../src/model/fault/fault.ts';
import { verifies } from '../../requirements/verifies.ts';
import { kernelOf, pathOf } from '../graphs/kernel.ts';
import { plan, plannedStep, planningBench } from '../planning/bench.ts';
import { CAPS, type RigOptions } from '../rig.ts';
import { decide, messagesIn, reactiveBench, respond, shownTo } from './bench.ts';

/** A failure that a retry does not fix. */
const denied = (): never => {
  throw new Fault('permission_denied', 'the ledger is closed on Sundays');
};

/** A failure of a tool without retries. */
const shut = {
  retries_max: 0,
  execute: (): never => {
    throw new Error('closed permanently');
  },
};

const TOOLS: NonNullable<RigOptions['tools']> = {
  ledger: { execute: denied, retries_max: 0 },
  archive: { produces: ['done'] },
};
const REACTIVE = { graph: 'reactive', limits: { planning: 'stepwise' } } as const;
const NO_REPLAN = { ...CAPS, replan_attempts_max: 0 };

verifies(
  'reactive:recovery:error-observed-and-cleared',
  'the next prompt contains the error, the next decision clears it, and another tool runs',
  async () => {
    const bench = reactiveBench([decide('ledger'), decide('archive')], { tools: TOOLS, caps: NO_REPLAN });
    const run = await bench.invoke();
    expect(run).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS' });
    expect(shownTo(bench.model, 1)).toContain('the ledger is closed on Sundays');
    const states = await bench.states(run.runId);
    // The frame of the failure sets the error, and the frame of the next decision clears it.
    expect(states.map(({ react }) => react.error?.capability ?? null)).toEqual([null, null, 'ledger', null, null]);
    const path = pathOf(kernelOf({ tools: TOOLS, caps: NO_REPLAN, options: REACTIVE }), await bench.events(run.runId));
    expect(path[path.indexOf('repair') + 1]).toBe('plan');
    expect(path).not.toContain('escalate');
    expect(states.every(({ planning }) => planning.replans === 0)).toBe(true);
    expect(messagesIn(states.at(-1)).map(({ kind }) => kind)).toEqual([
      'decision',
      'observation',
      'decision',
      'observation',
    ]);
    // The run was not escalated, and no stop was raised.
    expect((await bench.events(run.runId)).map(({ type }) => type)).not.toContain('run_escalated');
    expect(states.flatMap(({ ending }) => ending.stops).filter(({ code }) => code !== 'SUCCESS')).toEqual([]);
  },
);

test('marks the error of an untrusted tool as not trusted', async () => {
  const bench = (trusted: boolean) =>
    reactiveBench([decide('ledger'), decide('archive')], {
      tools: { ...TOOLS, ledger: { ...TOOLS['ledger'], trusted } },
    });
  const strange = bench(false);
  await strange.invoke();
  expect(shownTo(strange.model, 1)).toContain('Error: step r1 (ledger, not trusted) failed with denied');
  const own = bench(true);
  await own.invoke();
  expect(shownTo(own.model, 1)).toContain('Error: step r1 (ledger) failed with denied');
});

test('respond is allowed after a failure', async () => {
  const bench = reactiveBench([decide('ledger'), respond, decide('archive')], { tools: TOOLS });
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(messagesIn((await bench.states(run.runId)).at(-1))).toMatchObject([
    { kind: 'decision' },
    { kind: 'observation', outcome: 'denied' },
    { kind: 'decision', step: { tool: 'respond' } },
    { kind: 'observation', outcome: 'ok' },
    { kind: 'decision', step: { tool: 'archive' } },
    { kind: 'observation', outcome: 'ok' },
  ]);
});

verifies(
  'route:mode:react-selects-reactive-routing',
  'a failure returns to the planner in this mode, and ends a run with a complete plan and no replans',
  async () => {
    const planFirstBench = planningBench([plan(plannedStep('s1', 'ledger'), plannedStep('s2', 'archive'))], {
      tools: { ...TOOLS, ledger: shut },
      caps: NO_REPLAN,
      options: { limits: { onEscalate: 'end' } },
    });
    const ended = await planFirstBench.invoke();
    expect(ended).toMatchObject({ status: 'failed', terminalCode: 'REPEATED_FAILURE' });
    expect(planFirstBench.model.prompts).toHaveLength(1);
    expect(planFirstBench.dispatches.map(({ tool }) => tool)).toEqual(['ledger']);

    const stepwise = reactiveBench([decide('ledger'), decide('archive')], {
      tools: { ...TOOLS, ledger: shut },
      caps: NO_REPLAN,
      options: { limits: { onEscalate: 'end' } },
    });
    expect(await stepwise.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(stepwise.model.prompts).toHaveLength(2);
  },
);

verifies('route:reactive:errors-second', 'retries a retriable call without asking the planner', async () => {
  let calls = 0;
  const flaky = {
    ...TOOLS,
    ledger: {
      retries_max: 1,
      produces: ['done'],
      execute: () => {
        calls += 1;
        if (calls === 1) throw new Error('the line dropped');
        return { ok: true };
      },
    },
  };
  const bench = reactiveBench([decide('ledger')], { tools: flaky });
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['ledger', 'ledger']);
  expect(bench.model.prompts).toHaveLength(1);
  expect((await bench.states(run.runId)).at(-1)?.react).toMatchObject({ stepCount: 1, error: null });
});

test('escalates three failures in a row, with any tools', async () => {
  const tools = { ...TOOLS, ledger: shut, vault: shut, safe: shut };
  const turns = [decide('ledger'), decide('vault'), decide('safe')];
  const bench = reactiveBench(turns, { tools, options: { limits: { onEscalate: 'end' } } });
  const run = await bench.invoke();
  expect(run).toMatchObject({ status: 'failed', terminalCode: 'REPEATED_FAILURE' });
  bench.model.assertDrained();
});
