/** Complete runs with a planner that proposes, and tools that answer, as badly as they can. */
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/events/event.ts';
import { Fault } from '../../src/model/fault/fault.ts';
import type { Json } from '../../src/model/json/json.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import { type Dispatch, operator, planOf, type Rig, rig } from '../runs/rig.ts';
import { type Dice, diceOf, failureWithSeed, SEED } from './dice.ts';
import { misbehave, offeredArgs, SPECS } from './fuzz-tools.ts';
import { anything } from './hostile.ts';

const BENCHES = 50;
/** Setting up a rig takes longer than a run on it. */
const RUNS_EACH = 6;
const PLANS_EACH = 3;

/** The tools with which a run can reach its goal. */
const PRODUCERS: readonly string[] = ['free', 'strict', 'writer'];

/** A well-formed plan with arbitrary calls, or a value that is no plan. */
function proposal(dice: Dice): unknown {
  if (dice.chance(0.1)) return anything(dice);
  if (dice.chance(0.1)) return { ...planOf([]), intent: anything(dice), steps: anything(dice) };
  const size = 1 + dice.roll(2);
  return planOf(
    Array.from({ length: size }, (_, at) => ({
      id: `s${at}`,
      tool: dice.chance(0.6) ? dice.pick(PRODUCERS) : dice.pick(SPECS).name,
      params: params(dice, at) as never,
      ...(dice.chance(0.3) ? { requires: ['GATE_MODE_APPROVAL'] } : {}),
      ...(at > 0 ? { depends_on: [`s${at - 1}`] } : {}),
    })),
  );
}

function params(dice: Dice, at: number): unknown {
  if (dice.chance(0.4)) return { id: at, text: 'ordinary', flag: true };
  if (at === 0 || dice.chance(0.5)) return offeredArgs(dice);
  const path = dice.pick(['', '/note', '/ok', '/nowhere', '/__proto__', '/note/0']);
  return { id: 1, text: { $from: dice.pick([`s${at - 1}`, 's9', '__proto__']), path } };
}

function bench(dice: Dice): Rig {
  const tools = Object.fromEntries(
    SPECS.map(({ name, ...spec }) => [
      name,
      {
        ...spec,
        produces: PRODUCERS.includes(name) ? ['done'] : [],
        execute: () => (dice.chance(0.5) ? { ok: true, note: 'well' } : misbehave(dice)) as Json,
      },
    ]),
  );
  return rig({ tools, plans: Array.from({ length: RUNS_EACH * PLANS_EACH }, () => proposal(dice)) });
}

/** Fails unless every dispatch has one attempt before it and one observation after it. */
function expectRecorded(events: readonly RunEvent[], dispatches: readonly Dispatch[]): void {
  const attempts = events.filter((event) => event.type === 'step_attempted');
  const observed = events.filter((event) => event.type === 'step_observed').map(({ call_id }) => call_id);
  for (const { key, tool } of dispatches) {
    const of = attempts.filter((attempt) => attempt.idempotency_key === key && attempt.tool === tool);
    if (of.length === 0) throw new Error(`${tool} was sent under ${key}, and no attempt is on record`);
  }
  const sent = new Map(dispatches.map(({ key }) => [key, dispatches.filter((other) => other.key === key).length]));
  for (const [key, times] of sent) {
    const tries = attempts.filter(({ idempotency_key }) => idempotency_key === key);
    if (tries.length !== times) throw new Error(`sent ${times} times under ${key}, attempted ${tries.length} times`);
    for (const { call_id } of tries) {
      const answers = observed.filter((id) => id === call_id).length;
      if (answers !== 1) throw new Error(`${call_id} was observed ${answers} times`);
    }
  }
}

/** Drives one run and answers up to five gates. */
async function play(dice: Dice, { runtime, settle, invoke }: Rig): Promise<RunOutcome> {
  let outcome = await invoke();
  for (let asked = 0; asked < 5 && outcome.pending[0] !== undefined; asked += 1) {
    const { gateId, packetHash } = outcome.pending[0];
    const answer = { packetHash, credential: operator('ana'), reason: 'so be it' };
    outcome = await settle(runtime.gates[dice.pick(['approve', 'approve', 'reject'] as const)](gateId, answer));
  }
  return outcome;
}

test('every run ends or waits, records each dispatch and replays to the same result', async () => {
  const endings = new Map<string, number>();
  let sent = 0;
  for (let n = 0; n < BENCHES * RUNS_EACH; n += RUNS_EACH) {
    const dice = diceOf(SEED + n);
    const one = bench(dice);
    try {
      for (let run = 0; run < RUNS_EACH; run += 1) {
        const before = one.dispatches.length;
        const outcome = await play(dice, one);
        expectRecorded(await one.events(outcome.runId), one.dispatches.slice(before));
        await one.runtime.records.replay(outcome.runId);
        const ending = outcome.terminalCode ?? outcome.status;
        endings.set(ending, (endings.get(ending) ?? 0) + 1);
      }
      sent += one.dispatches.length;
    } catch (error) {
      throw failureWithSeed(`runs from ${n} on${Fault.is(error) ? ` (${error.code})` : ''}`, SEED, error);
    }
  }
  // Runs that never dispatch or succeed would show nothing.
  expect(sent).toBeGreaterThan(BENCHES);
  expect(endings.get('SUCCESS')).toBeGreaterThan(BENCHES / 10);
  expect(endings.size).toBeGreaterThan(2);
});
