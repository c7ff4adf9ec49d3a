/** Defects that the simulator found in effects: an effect could happen twice. */
import { expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/events/event.ts';
import type { ToolSpec } from '../../../src/model/tool/tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../../runs/endings/turns.ts';
import { neverAnswers, planOf, rig } from '../../runs/rig.ts';

const KEYED: Partial<ToolSpec> = {
  produces: ['done'],
  side_effect: true,
  approval_mode: 'local_write',
  retries_max: 0,
  idempotency: { kind: 'key', retention_ms: 60_000 },
};
const UNKEYED: Partial<ToolSpec> = { ...KEYED, idempotency: { kind: 'none' } };
const PLAN = planOf([{ id: 'a', tool: 'pay', params: { amount: 5 } }]);
const RENAMED = planOf([{ id: 'z', tool: 'pay', params: { amount: 5 } }], { plan_id: 'plan_2' });
const CONTINUE: EventBody = { type: 'escalation_decided', decision: 'continue', by: 'ben', reason: 'once more' };

const TIMEOUT = { outcome: 'timeout', raw: null } as const;
const keysOf = (run: Turns): readonly string[] =>
  eventsOf(run.events, 'step_attempted').map(({ idempotency_key }) => idempotency_key);

test('a call in doubt keeps its key when the next plan renames its step', () => {
  const run = turns({ tools: { pay: KEYED } });
  run.say(proposed(PLAN));
  run.say(answered(run, TIMEOUT), 10_000);
  run.say(proposed(RENAMED), 11_000);
  expect(keysOf(run)).toHaveLength(2);
  expect(new Set(keysOf(run)).size).toBe(1);
});

test("escalates once the key's retention is over", () => {
  const run = turns({ tools: { pay: KEYED } });
  run.say(proposed(PLAN));
  run.say(answered(run, TIMEOUT), 10_000);
  run.say(proposed(RENAMED), 61_000);
  expect(keysOf(run)).toHaveLength(1);
  expect(run.state.people.escalation).toMatchObject({ trigger: 'call_in_doubt' });
  run.say(CONTINUE, 62_000);
  expect(keysOf(run)).toHaveLength(2);
});

test("a process that takes over after the key's retention escalates instead of resending", () => {
  const run = turns({ tools: { pay: KEYED } });
  run.say(proposed(PLAN));
  run.say({ type: 'run_reloaded', writer: 'process_2' }, 56_000);
  expect(run.outbox).toEqual([]);
  expect(run.state.people.escalation).toMatchObject({ trigger: 'call_in_doubt' });
});

test.each(['error', 'malformed', 'empty', 'denied'] as const)(
  'does not repeat an unkeyed call that answered %s just because the planner proposes it again',
  (outcome) => {
    const run = turns({ tools: { pay: UNKEYED } });
    run.say(proposed(PLAN));
    run.say(answered(run, { outcome, raw: null }));
    run.say(proposed(RENAMED));
    expect(keysOf(run)).toHaveLength(1);
    expect(run.state.people.escalation).toMatchObject({ trigger: 'call_in_doubt' });
  },
);

test('does not repeat a committed step that a plan contains again with other options', () => {
  const run = turns({ tools: { pay: { ...UNKEYED, produces: [] }, end: { produces: ['done'] } } });
  run.say(proposed(PLAN));
  run.say(answered(run));
  const [step] = PLAN.steps;
  run.say(
    proposed(
      planOf([
        { ...step, id: 'a', tool: 'pay', optional: true },
        { id: 'b', tool: 'end' },
      ]),
    ),
  );
  expect(eventsOf(run.events, 'step_attempted').map(({ step_id }) => step_id)).toEqual(['a', 'b']);
});

verifies(
  'gateway:idempotency:stable-across-retries',
  'retries a tool that applied its effect without answering under the same key, and the effect exists once',
  async () => {
    const effects = new Set<string>();
    const bench = rig({
      tools: {
        pay: {
          ...KEYED,
          retries_max: 1,
          execute: (args, context) => {
            const known = effects.has(context.idempotencyKey);
            effects.add(context.idempotencyKey);
            return known ? { ok: true } : neverAnswers(args, context);
          },
        },
      },
      plans: [PLAN],
    });
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches).toHaveLength(2);
    expect(new Set(bench.dispatches.map(({ key }) => key))).toEqual(effects);
    expect(effects.size).toBe(1);
  },
);
