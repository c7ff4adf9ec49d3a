/** A model may request a transition; the run follows the edges of its graph. */
import { expect } from 'vitest';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { fold, kernelOf } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { whenAtNode } from './waiting.ts';

const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};

verifies(
  'boundary:decisions:transitions-limited-to-compiled-edges',
  'records and rejects a transition from plan straight to a tool',
  async () => {
    let answer: (plan: unknown) => void = () => undefined;
    const proposal = new Promise((resolve) => {
      answer = resolve;
    });
    const spent = NO_COST;
    const planner = {
      propose: async () => ({ proposal: await proposal, author: 'model', spent, contextTokens: 0 }),
    };
    const bench = rig({ ...OPTIONS, options: { planner } as NonNullable<RigOptions['options']> });
    const running = bench.invoke();
    const asked = await whenAtNode(bench, 'plan', async () => {
      const sending = bench.runtime.sessions.send('run_1', { type: 'transition_requested', to: 'tool_invocation' });
      for (;;) {
        const events = await bench.events('run_1');
        if (events.at(-1)?.type === 'violation_noted') return { sending, events };
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    });
    expect(asked.events.slice(-2)).toMatchObject([
      { type: 'transition_requested', to: 'tool_invocation' },
      { type: 'violation_noted', violation: 'transition', subject: 'plan -> tool_invocation', why: 'no_such_edge' },
    ]);
    expect(fold(kernelOf(OPTIONS), asked.events).at(-1)?.position.node).toBe('plan');
    expect(bench.dispatches).toEqual([]);
    answer(OPTIONS.plans?.[0]);
    expect((await running).terminalCode).toBe('SUCCESS');
    expect((await asked.sending).terminalCode).toBe('SUCCESS');
  },
);
