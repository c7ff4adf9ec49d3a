/** Nobody reflects on a run that goes well, and on nothing but the five occasions. */
import { expect } from 'vitest';
import { mayReflect } from '../../../src/kernel/reflect.ts';
import type { EventBody } from '../../../src/model/event.ts';
import { NO_COST } from '../../../src/model/tool.ts';
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

verifies(ID, 'boredom is no occasion, and a reflection nobody asked for is refused', () => {
  expect(() => mayReflect('boredom', 0, 9)).toThrow('"boredom" is no occasion for a reflection');
  const run = turns({ tools: { read: { produces: ['done'] } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
  const uninvited = { type: 'reflection_made', trigger: 'boredom', note: 'hm', spent: NO_COST } as unknown as EventBody;
  expect(run.refusal(uninvited).code).toBe('event_illegal');
});
