/** Tests that a step waits until the steps it depends on are committed. */
import { expect } from 'vitest';
import { GUARDS } from '../../../src/kernel/query/guards.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { verifies } from '../../requirements/verifies.ts';
import { before, fold, kernelOf, offer } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: { read: {}, finish: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 'child', tool: 'finish', depends_on: ['parent'] },
      { id: 'parent', tool: 'read' },
    ]),
  ],
};

/** The state in which the child would be selected next. */
const picking = (state: RunState, index: number): RunState => ({
  ...state,
  current: state.current === null ? null : { ...state.current, index, stepId: 'child', rung: 'intended' },
});

verifies(
  'plan:dependency:child-blocked-until-parents-finish',
  'cannot select the child while its parent is only attempted, and can once the parent is committed',
  async () => {
    const env = kernelOf(OPTIONS);
    const bench = rig(OPTIONS);
    const { runId } = await bench.invoke();
    const events = await bench.events(runId);
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read', 'finish']);

    const attempted = before(env, events, 'step_observed');
    expect(attempted.current).toMatchObject({ stepId: 'parent', rung: 'attempted' });
    expect(attempted.planning.active?.index.dependencies).toEqual([[1], []]);
    const selected = GUARDS['step_selected@1'];
    expect(selected?.(picking(attempted, 0))).toBe(false);

    const clearing = events.filter((event) => event.type === 'step_cleared').at(-1);
    if (clearing === undefined) throw new Error('no call was cleared');
    const [unmoved, effects, fault] = offer(env, attempted, clearing);
    expect(fault?.code).toBe('step_not_verified');
    expect(unmoved).toBe(attempted);
    expect(effects).toEqual([]);

    const committed = fold(env, events.slice(0, events.indexOf(clearing))).at(-1);
    expect(committed?.current).toMatchObject({ stepId: 'child', rung: 'intended' });
    expect(selected?.(committed as RunState)).toBe(true);
  },
);
