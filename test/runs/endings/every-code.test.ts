/** Every one of the seventeen codes is reached by something that happens, and each ending leaves the same order behind. */
import { expect } from 'vitest';
import { isTerminal } from '../../../src/kernel/lifecycle.ts';
import { TERMINAL_CODES, type TerminalCode } from '../../../src/model/terminal-code.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, eventsOf, type Turns } from './turns.ts';
import { begun, WAYS } from './ways.ts';

const ID = 'terminate:doctrine:release-and-trace-on-all-codes';

function expectOrder(run: Turns, code: TerminalCode): void {
  const { state, events } = run;
  expect(state.ending.terminal?.code).toBe(code);
  expect(eventsOf(events, 'run_terminated')).toEqual([events.at(-1)]);
  expect(run.stored.has(state.ending.terminal?.record ?? '')).toBe(true);
  expect(isTerminal(state.session.status)).toBe(true);
  expect(state.position.node).toBe('terminate');
  expect(state.ending.inFlight).toBeNull();
  expect(state.people.gates).toEqual([]);
  expect(state.budget?.reserved.tool_calls ?? 0).toBe(0);
  expect(run.outbox.filter(({ kind }) => kind !== 'abort_flight')).toEqual([]);
  expect(run.refusal({ type: 'run_cancelled', by: 'user', reason: 'again' }).code).toBe('session_terminal');
}

for (const code of TERMINAL_CODES) {
  verifies(ID, `${code}: one code, one record, nothing left open, nothing after it`, () => {
    expectOrder(WAYS[code](), code);
  });
}

for (const kind of ['compile_response', 'propose_memory'] as const) {
  verifies(ID, `${kind} throws at the very end: the run ends all the same`, () => {
    const run = begun({
      change: ({ local }) => ({
        local: (state, effect) => {
          if (effect.kind === kind) throw new Error('out of paper');
          return local(state, effect);
        },
      }),
    });
    run.say(answered(run));
    expectOrder(run, 'VALIDATION_FAIL');
  });
}

verifies(ID, 'an exception inside: the run ends all the same', () => {
  const run = begun({
    change: ({ critic }) => ({
      critic: {
        ...critic,
        judgeRun: () => {
          throw new TypeError('undefined is not a function');
        },
      },
    }),
  });
  run.say(answered(run));
  expectOrder(run, 'VALIDATION_FAIL');
});
