/** Reflections happen only on the five triggers. */
import { expect } from 'vitest';
import { mayReflect } from '../../../src/kernel/query/critic-input/reflection.ts';
import type { EventBody } from '../../../src/model/events/event.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, proposed, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';

const ID = 'reflection:trigger:never-automatic';

verifies(ID, 'five clean steps, no reflection', () => {
  const run = turns({ tools: { read: {}, finish: { produces: ['done'] } } });
  run.say(
    proposed(planOf([1, 2, 3, 4, 5].map((n) => ({ id: `s${n}`, tool: n < 5 ? 'read' : 'finish', params: { n } })))),
  );
  for (let n = 0; n < 5; n += 1) run.say(answered(run));
  expect(run.state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
  expect(run.state.budget?.used.reflection_passes).toBe(0);
  expect(run.state.counters.reflections).toEqual({});
});

verifies(ID, 'rejects an unknown trigger and an unrequested reflection', () => {
  expect(() => mayReflect('boredom', 0, 9)).toThrow('"boredom" is no occasion for a reflection');
  const run = turns({ tools: { read: { produces: ['done'] } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
  const made = { type: 'reflection_made', note: 'hm', spent: NO_COST };
  expect(run.refusal({ ...made, trigger: 'boredom' } as unknown as EventBody)).toMatchObject({
    code: 'event_invalid',
    path: '/trigger',
  });
  expect(run.refusal({ ...made, trigger: 'tool_failure' } as unknown as EventBody).code).toBe('event_illegal');
});
