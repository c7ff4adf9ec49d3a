/**
 * Arbitrary input to every runtime method that takes input from people or other systems: it is accepted or rejected with a
 * Fault.
 */
import { expect, test } from 'vitest';
import { HANDLERS } from '../../src/kernel/machine/handler-table.ts';
import { Fault } from '../../src/model/fault/fault.ts';
import { planOf, type Rig, rig } from '../runs/rig.ts';
import { type Dice, diceOf, failureWithSeed, SEED } from './dice.ts';
import { anything, monster } from './hostile.ts';

const HOSTILE_CALLS = 5_000;

function waiting(): Rig {
  return rig({
    tools: { pay: { approval_mode: 'destructive', side_effect: true, produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'pay', params: { amount: 1 }, requires: ['GATE_MODE_APPROVAL'] }])],
  });
}

type HostileCall = (
  bench: Rig,
  runId: string,
  gate: { readonly gateId: string; readonly packetHash: string },
) => Promise<unknown>;

/** One hostile call of one method. None of the calls carries a valid approval of the gate. */
function hostileCall(dice: Dice): HostileCall {
  const junk = (): never => anything(dice) as never;
  const maybe = <T>(right: T): T => (dice.chance(0.5) ? right : junk());
  // Credentials that may not decide: malformed ones, and the requester's own name.
  const credential = (): never =>
    dice.pick<unknown>([
      junk(),
      monster(dice),
      { kind: 'local_operator', name: 'agt_worker' },
      { kind: 'local_operator', name: anything(dice, 1) },
      { kind: 'signing_key', keyId: 'k', signedAt: 1, signature: anything(dice, 1) },
      { kind: 'operator_token', token: anything(dice, 1) },
    ]) as never;
  const words = (packetHash: string): object => ({
    packetHash: wrong(packetHash),
    credential: credential(),
    reason: maybe('why'),
  });
  const answer = (packetHash: string): never => (dice.chance(0.1) ? junk() : words(packetHash)) as never;
  // The gate requested no information, so even the right hash and the right name answer nothing.
  const information = (packetHash: string): never => {
    const fields = { text: maybe('of the roofer'), evidence: maybe([packetHash]), credential: credential() };
    return (dice.chance(0.1) ? junk() : { packetHash: maybe(packetHash), ...fields }) as never;
  };
  const wrong = (hash: string): unknown => dice.pick([`${hash.slice(0, -1)}x`, hash.toUpperCase(), junk(), '']);
  const methods: readonly HostileCall[] = [
    ({ runtime }, _, { gateId, packetHash }) => runtime.approve(maybe(gateId), answer(packetHash)),
    ({ runtime }, _, { gateId, packetHash }) => runtime.gates.reject(maybe(gateId), answer(packetHash)),
    ({ runtime }, _, { gateId, packetHash }) => runtime.gates.requestInfo(maybe(gateId), answer(packetHash)),
    ({ runtime }, _, { gateId, packetHash }) =>
      runtime.gates.edit(maybe(gateId), { ...words(packetHash), parameters: junk() } as never),
    ({ runtime }, _, { gateId, packetHash }) => runtime.gates.provideInfo(maybe(gateId), information(packetHash)),
    ({ runtime }) => runtime.gates.evidence(junk(), dice.chance(0.5) ? credential() : undefined, junk()),
    ({ runtime }, runId) => runtime.records.document(maybe(runId), junk()),
    ({ runtime }, runId) => runtime.sessions.answer(maybe(runId), junk(), junk(), junk()),
    ({ runtime }, runId) => runtime.sessions.send(maybe(runId), junk()),
    ({ runtime }, runId) =>
      runtime.sessions.send(runId, { ...randomFields(dice), type: dice.pick(Object.keys(HANDLERS)) }),
    ({ runtime }, runId) => runtime.records.transcripts(dice.chance(0.2) ? runId : junk()),
    ({ runtime }, runId) => runtime.sessions.readState(maybe(runId), junk(), junk()),
    ({ runtime }) => runtime.sessions.get(junk()),
    ({ runtime }) => runtime.gates.packet(junk()),
    ({ runtime }) => runtime.invoke(junk()),
  ];
  return dice.pick(methods);
}

const FIELDS: readonly string[] = [
  'by',
  'approver',
  'decision',
  'reason',
  'gate_id',
  'answers',
  'delta',
  'cause',
  'to',
];

const randomFields = (dice: Dice): object =>
  Object.fromEntries(Array.from({ length: dice.roll(5) }, () => [dice.pick(FIELDS), anything(dice, 1)]));

test(`${HOSTILE_CALLS} hostile calls end in Faults or outcomes, and the gate stays closed`, async () => {
  const dice = diceOf(SEED);
  let faults = 0;
  let bench = waiting();
  let outcome = await bench.invoke();
  for (let n = 0; n < HOSTILE_CALLS; n += 1) {
    const [gate] = outcome.pending;
    if (gate === undefined) {
      bench = waiting();
      outcome = await bench.invoke();
      continue;
    }
    try {
      await bench.settle(hostileCall(dice)(bench, outcome.runId, gate));
    } catch (error) {
      if (!Fault.is(error)) throw failureWithSeed(`word ${n}`, SEED, error);
      faults += 1;
    }
    if (bench.dispatches.length > 0) throw failureWithSeed(`word ${n}`, SEED, 'the gate opened');
    outcome = await bench.runtime.sessions.get(outcome.runId);
  }
  expect(faults).toBeGreaterThan(HOSTILE_CALLS / 2);
});
