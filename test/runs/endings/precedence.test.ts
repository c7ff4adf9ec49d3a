/** Tests that a fixed order decides between several reasons to stop, and that the others are recorded. */
import { expect } from 'vitest';
import { PRECEDENCE, type Stop, type TerminalCode } from '../../../src/model/fault/terminal-code.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf } from '../rig.ts';
import { answered, proposed, type Turns, turns } from './turns.ts';

const ID = 'terminate:precedence:deterministic-when-several-fire';

/** A run that is about to succeed when a reason to stop is raised. */
function succeedingWith(code: TerminalCode): Turns {
  const run = turns({
    tools: { finish: { produces: ['done'] } },
    change: ({ local }) => ({
      local: (state, effect) =>
        effect.kind === 'propose_memory'
          ? { event: { type: 'stop_raised', stop: { code, reason: 'noticed_late' } }, blobs: [] }
          : local(state, effect),
    }),
  });
  run.say(proposed(planOf([{ id: 'a', tool: 'finish' }])));
  run.say(answered(run));
  return run;
}

/** Raises a stop. No event can claim success, so a success code is written into the state directly. */
function noticed(run: Turns, stop: Stop): void {
  const claimed = stop.code === 'SUCCESS' || stop.code === 'PARTIAL_SUCCESS';
  if (claimed) Object.assign(run.state.ending, { stops: [...run.state.ending.stops, stop] });
  else run.say({ type: 'stop_raised', stop });
}

/** Raises both stops during a call, so that neither ends the run before the other is known. */
function together(first: TerminalCode, second: TerminalCode): Turns {
  const run = turns({ tools: { finish: { produces: ['done'] } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'finish' }])));
  for (const code of [first, second]) noticed(run, { code, reason: 'noticed' });
  run.say(answered(run, { outcome: 'cancelled', raw: null }));
  return run;
}

verifies(ID, 'UNSAFE_DETECTION wins over SUCCESS in the same turn', () => {
  const run = together('SUCCESS', 'UNSAFE_DETECTION');
  expect(run.state.ending.terminal).toMatchObject({ code: 'UNSAFE_DETECTION', suppressed: ['SUCCESS'] });
  expect(succeedingWith('UNSAFE_DETECTION').state.ending.terminal).toMatchObject({ code: 'UNSAFE_DETECTION' });
});

verifies(ID, 'every pair of neighbouring codes ends the same in either order', () => {
  for (const [rank, weaker] of PRECEDENCE.entries()) {
    const stronger = PRECEDENCE[rank - 1];
    if (stronger === undefined) continue;
    const expected = { code: stronger, suppressed: [weaker] };
    expect(together(stronger, weaker).state.ending.terminal).toMatchObject(expected);
    expect(together(weaker, stronger).state.ending.terminal).toMatchObject(expected);
  }
});
