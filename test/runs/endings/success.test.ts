/** Tests that SUCCESS requires four criteria at once, each of them checked. */
import { expect } from 'vitest';
import type { Detector } from '../../../src/critic/step/safety.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf } from '../rig.ts';
import { answered, proposed, type Turns, type TurnsOptions, turns } from './turns.ts';

const ID = 'terminate:success:all-four-criteria';

function ended(options: Partial<TurnsOptions>, raw: Parameters<typeof answered>[1] = {}): Turns {
  const run = turns({
    tools: { finish: { produces: ['done'], retries_max: 0 }, look: {} },
    options: { limits: { onEscalate: 'end' } },
    ...options,
  });
  run.say(proposed(planOf([{ id: 'a', tool: options.tools === undefined ? 'finish' : 'look' }])));
  run.say(answered(run, raw));
  for (let n = 2; run.outbox.some(({ kind }) => kind === 'propose_plan'); n += 1) {
    run.say(
      proposed(
        planOf([{ id: `a${n}`, tool: options.tools === undefined ? 'finish' : 'look' }], { plan_id: `plan_${n}` }),
      ),
    );
    run.say(answered(run, raw));
  }
  return run;
}

verifies(ID, 'ends with SUCCESS and closes the run if all four hold', () => {
  const run = ended({});
  expect(run.state.ending.terminal).toMatchObject({ code: 'SUCCESS', reason: 'goal_met' });
  expect(run.state.session.status).toBe('completed');
  expect(run.refusal(proposed(planOf([]))).code).toBe('session_terminal');
});

verifies(ID, 'fails if the goal is not met', () => {
  const { state } = ended({ tools: { finish: { produces: ['done'] }, look: { produces: ['seen'] } } });
  expect(state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL' });
});

verifies(ID, 'fails if the result is invalid', () => {
  expect(ended({}, { raw: ['not', 'an', 'object'] }).state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL' });
});

verifies(ID, 'fails if the response is not grounded', () => {
  const claims = [{ statement: 'It was easy.', observation: 'ev_99' }];
  const { state } = ended({
    change: ({ local }) => ({
      local: (before, effect) =>
        effect.kind === 'compile_response'
          ? { event: { type: 'response_compiled', claims, text: 'It was easy.' }, blobs: [] }
          : local(before, effect),
    }),
  });
  expect(state.ending).toMatchObject({
    response: null,
    terminal: { code: 'VALIDATION_FAIL', reason: 'grounding_violation' },
  });
});

verifies(ID, 'fails if a detector finds something unsafe', () => {
  const leak: Detector = { name: 'leak', version: '1', detect: () => ({ severity: 'high', detail: 'a key' }) };
  expect(ended({ world: { policy: { detectors: [leak] } } }).state.ending.terminal).toMatchObject({
    code: 'UNSAFE_DETECTION',
  });
});
