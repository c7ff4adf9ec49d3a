/** Tests that each of the seventeen terminal codes is reachable and leaves the same closed state. */
import { expect, test } from 'vitest';
import { isTerminal } from '../../../src/kernel/state/lifecycle.ts';
import { TERMINAL_CODES, type TerminalCode } from '../../../src/model/fault/terminal-code.ts';
import { runOutcome } from '../../../src/session/outcome.ts';
import { verifies } from '../../requirements/verifies.ts';
import { rig } from '../rig.ts';
import { RUN_BY_CODE, startedRun } from './run-by-code.ts';
import { answered, eventsOf, type Turns } from './turns.ts';

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
  verifies(ID, `${code}: writes one code and one record, leaves nothing open, and accepts nothing after it`, () => {
    expectOrder(RUN_BY_CODE[code](), code);
  });
}

/** Words of the system that the person who asked does not know. */
const INTERNAL = /[_{}"]|plan|step_|terminal|kernel|gate|evidence|criteri|session|budget/u;

test.each(TERMINAL_CODES)('%s: tells the person who asked how the run ended', (code) => {
  const { text } = runOutcome(RUN_BY_CODE[code]().state);
  expect(text).toMatch(/\.$/u);
  expect(text).not.toMatch(INTERNAL);
});

for (const kind of ['compile_response', 'propose_memory'] as const) {
  verifies(ID, `ends the run although ${kind} throws at the end`, () => {
    const run = startedRun({
      change: ({ local }) => ({
        local: (state, effect) => {
          if (effect.kind === kind) throw new Error('the printer failed');
          return local(state, effect);
        },
      }),
    });
    run.say(answered(run));
    expectOrder(run, 'VALIDATION_FAIL');
  });
}

verifies(ID, 'ends the run after an internal exception', () => {
  const run = startedRun({
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

const CLOSED = 'terminate:codes:closed-set-of-seventeen';

verifies(CLOSED, 'runs reach each of the seventeen codes, and record it', () => {
  const codes = Object.values(RUN_BY_CODE).map((start) => {
    const { events } = start();
    return eventsOf(events, 'run_terminated').map(({ code }) => code);
  });
  expect(codes).toEqual(TERMINAL_CODES.map((code) => [code]));
  expect(new Set(codes.flat()).size).toBe(17);
});

verifies(CLOSED, 'a model that says stop ends no run', async () => {
  const stop = { kind: 'stop', code: 'SUCCESS', terminal_code: 'SUCCESS' };
  const bench = rig({ tools: { finish: { produces: ['done'] } }, plans: [stop, stop, stop] });
  const { runId, status, terminalCode } = await bench.invoke();
  expect([status, terminalCode]).toEqual(['paused', null]);
  const events = await bench.events(runId);
  expect(eventsOf(events, 'plan_verified').map(({ problems }) => problems[0]?.code)).toEqual(
    Array(3).fill('plan_untyped'),
  );
  expect(eventsOf(events, 'run_terminated')).toEqual([]);
});

verifies(CLOSED, 'a stop with an unknown code is refused and recorded nowhere', async () => {
  const bench = rig({ tools: { finish: { produces: ['done'] } }, plans: ['no', 'no', 'no'] });
  const { runId } = await bench.invoke();
  for (const code of ['DONE', 'success', '', 'toString']) {
    const event = { type: 'stop_raised', stop: { code, reason: 'enough' } };
    await expect(bench.runtime.sessions.send(runId, event as never)).rejects.toMatchObject({ code: 'event_invalid' });
  }
  expect(await bench.runtime.sessions.get(runId)).toMatchObject({ status: 'paused', terminalCode: null });
});
