/** When several reasons to stop hold at once, a fixed order decides, and the rest are on record. */
import { expect } from 'vitest';
import { PRECEDENCE } from '../../../src/kernel/terminate.ts';
import type { Stop } from '../../../src/model/stop.ts';
import type { TerminalCode } from '../../../src/model/terminal-code.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf } from '../rig.ts';
import { answered, proposed, type Turns, turns } from './turns.ts';

const ID = 'terminate:precedence:deterministic-when-several-fire';

/** A run that is about to succeed, and whose answer brings a reason to stop along. */
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

/** Nobody can say that a run has succeeded, so that is put into the state by force. */
function noticed(run: Turns, stop: Stop): void {
  const claimed = stop.code === 'SUCCESS' || stop.code === 'PARTIAL_SUCCESS';
  if (claimed) Object.assign(run.state.ending, { stops: [...run.state.ending.stops, stop] });
  else run.say({ type: 'stop_raised', stop });
}

/** A call is under way when both reasons arrive, so that neither has ended the run before the other is heard. */
function together(first: TerminalCode, second: TerminalCode): Turns {
  const run = turns({ tools: { finish: { produces: ['done'] } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'finish' }])));
  for (const code of [first, second]) noticed(run, { code, reason: 'noticed' });
  run.say(answered(run, { outcome: 'cancelled', raw: null }));
  return run;
}

verifies(ID, 'unsafe and success in the same tick', () => {
  const run = together('SUCCESS', 'UNSAFE_DETECTION');
  expect(run.state.ending.terminal).toMatchObject({ code: 'UNSAFE_DETECTION', suppressed: ['SUCCESS'] });
  expect(succeedingWith('UNSAFE_DETECTION').state.ending.terminal).toMatchObject({ code: 'UNSAFE_DETECTION' });
});

verifies(ID, 'each pair of neighbours, in either order, ends the same', () => {
  for (const [rank, weaker] of PRECEDENCE.entries()) {
    const stronger = PRECEDENCE[rank - 1];
    if (stronger === undefined) continue;
    const expected = { code: stronger, suppressed: [weaker] };
    expect(together(stronger, weaker).state.ending.terminal).toMatchObject(expected);
    expect(together(weaker, stronger).state.ending.terminal).toMatchObject(expected);
  }
});
