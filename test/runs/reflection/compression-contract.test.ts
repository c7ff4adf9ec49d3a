/** A compression keeps the required classes unchanged, or it is rejected and the run halts. */
import { expect, test } from 'vitest';
import { checkCompression } from '../../../src/kernel/query/critic-input/compression.ts';
import { type ActiveContext, KEPT_CLASSES, type KeptClass } from '../../../src/model/evidence/compression.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';

/** A run with goal, plan, observation, approval and budget, under context pressure before its second plan. */
function runUnderPressure(): Turns {
  const run = turns({
    tools: {
      read: { produces: ['seen'] },
      pay: { approval_mode: 'destructive', gates: ['GATE_PAY'], retries_max: 0, produces: ['done'] },
    },
  });
  const steps = [
    { id: 'a', tool: 'read' },
    { id: 'b', tool: 'pay', requires: ['GATE_PAY'] },
  ];
  run.say(proposed(planOf(steps), { context_tokens: 95_000 }));
  run.say(answered(run));
  const [gate] = run.state.people.gates;
  const { gateId: gate_id = '', packetHash: packet_hash = '' } = gate ?? {};
  run.say({ type: 'gate_decided', gate_id, packet_hash, decision: 'approve', approver: 'boss', reason: 'ok' });
  run.say(answered(run, { outcome: 'error', raw: null }));
  expect(run.outbox).toEqual([{ kind: 'compress_context' }]);
  return run;
}

const compressedEvent = (lost: readonly string[]) =>
  ({ type: 'context_compressed', lost, tokens: 9_000, pointer: 'trace_1@9' }) as const;

const fullContext = (): ActiveContext => ({
  kept: Object.fromEntries(KEPT_CLASSES.map((name) => [name, { of: name }])) as unknown as Record<
    KeptClass,
    JsonObject
  >,
  loose: [],
  demoted: [],
});

test('keeps all seven classes unchanged', () => {
  const run = runUnderPressure();
  const { intake, planning, work, people, budget, manifest } = run.state;
  run.say(compressedEvent([]));
  const now = run.state;
  expect(now.intake).toEqual(intake);
  expect(now.planning.active).toEqual(planning.active);
  expect(now.work).toEqual(work);
  expect(now.people).toEqual(people);
  expect(now.manifest).toEqual(manifest);
  expect(now.budget?.used).toEqual(budget?.used);
  expect(now.budget?.caps).toEqual(budget?.caps);
  expect(run.outbox).toMatchObject([{ kind: 'propose_plan' }]);
});

for (const name of KEPT_CLASSES) {
  test(`rejects a compression without ${name} and halts the run`, () => {
    const before = fullContext();
    const { [name]: _, ...kept } = before.kept;
    const ruling = checkCompression(before, { ...before, kept: kept as ActiveContext['kept'] });
    if (ruling.ok) throw new Error('the incomplete compression was accepted');
    const run = runUnderPressure();
    const { work, budget } = run.state;
    run.say(compressedEvent(ruling.lost));
    expect(run.state.ending.terminal).toMatchObject({
      code: 'UNSAFE_DETECTION',
      reason: 'compression_unsafe',
      detail: { lost: [name] },
    });
    expect(run.state.work).toEqual(work);
    expect(run.state.budget?.context_tokens).toBe(budget?.context_tokens);
  });
}
