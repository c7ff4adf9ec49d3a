/** Tests that runs recorded before the rule `ends_by_cause` keep the codes that they were recorded with. */
import { expect, test } from 'vitest';
import type { TurnEnv } from '../../../src/kernel/machine/turn.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { planOf, type RigOptions } from '../rig.ts';
import { answered, proposed, type Turns, turns } from './turns.ts';

/** The environment of a run whose manifest has the rule, or not. */
const withRule =
  (isNew: boolean) =>
  ({ local }: TurnEnv): Partial<TurnEnv> => ({
    local: (state, effect) => {
      const answer = local(state, effect);
      if (answer.event.type !== 'run_initialized' || isNew) return answer;
      const { manifest } = answer.event;
      const rules = (manifest.rules ?? []).filter((rule) => rule !== 'ends_by_cause');
      return { ...answer, event: { ...answer.event, manifest: { ...manifest, rules } } };
    },
  });

const started = (isNew: boolean, tools: RigOptions['tools'] & object, steps: readonly string[]): Turns => {
  const run = turns({ tools, change: withRule(isNew) });
  run.say(proposed(planOf(steps.map((tool) => ({ id: tool, tool, params: { account: 'a' } })))));
  return run;
};

const codeOf = ({ state }: Turns): string | undefined => (state.ending.terminal ?? state.people.escalation?.stop)?.code;

const asserts = [{ type: 'done', subject: '/account', values: { total: '/total' } }];
const output_schema = { type: 'object', properties: { total: { type: 'integer' } } };
const SOURCE = { produces: ['done'], asserts, output_schema };

test.each([
  [false, 'REPEATED_FAILURE'],
  [true, 'SOURCE_CONFLICT'],
])('a conflict without a further source (rule: %s) is %s', (isNew, code) => {
  const steps = ['ledger', 'bank'];
  const run = started(isNew, { ledger: SOURCE, bank: SOURCE }, steps);
  run.say(answered(run, { raw: { total: 1 } }));
  run.say(answered(run, { raw: { total: 2 } }));
  run.say({ type: 'reflection_made', trigger: 'conflict', note: '', spent: NO_COST });
  const repeated = planOf(steps.map((tool) => ({ id: tool, tool, params: { account: 'a' } })));
  while (codeOf(run) === undefined) run.say(proposed(repeated));
  expect(codeOf(run)).toBe(code);
});

test.each([
  [false, 'REPEATED_FAILURE'],
  [true, 'VALIDATION_FAIL'],
])('an answer that stays malformed (rule: %s) is %s', (isNew, code) => {
  const run = started(isNew, { finish: { produces: ['done'], retries_max: 0 } }, ['finish']);
  for (let plan = 1; codeOf(run) === undefined; plan += 1) {
    run.say(answered(run, { outcome: 'malformed', raw: null }));
    if (codeOf(run) === undefined)
      run.say(proposed(planOf([{ id: 'finish', tool: 'finish', params: { plan } }], { plan_id: `plan_${plan}` })));
  }
  expect(codeOf(run)).toBe(code);
});

test.each([
  [false, 'REPEATED_FAILURE'],
  [true, 'PARTIAL_SUCCESS'],
])('a failed step after the goal is met (rule: %s) is %s', (isNew, code) => {
  const run = started(isNew, { finish: { produces: ['done'] }, notify: { retries_max: 0 } }, ['finish', 'notify']);
  run.say(answered(run));
  for (let plan = 1; codeOf(run) === undefined; plan += 1) {
    run.say(answered(run, { outcome: 'error', raw: null }));
    if (codeOf(run) === undefined)
      run.say(proposed(planOf([{ id: 'notify', tool: 'notify', params: { plan } }], { plan_id: `plan_${plan}` })));
  }
  expect(codeOf(run)).toBe(code);
});
