/** What people and strangers say to a run: any value, to every door. It is heard, or refused with a Fault. */
import { expect, test } from 'vitest';
import { HANDLERS } from '../../src/kernel/handlers.ts';
import { Fault } from '../../src/model/fault.ts';
import { planOf, type Rig, rig } from '../runs/rig.ts';
import { type Dice, diceOf, SEED, tellSeed } from './dice.ts';
import { anything, monster } from './hostile.ts';

const WORDS = 5_000;

function waiting(): Rig {
  return rig({
    tools: { pay: { approval_mode: 'destructive', side_effect: true, produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'pay', params: { amount: 1 }, requires: ['GATE_MODE_APPROVAL'] }])],
  });
}

type Say = (
  bench: Rig,
  runId: string,
  gate: { readonly gateId: string; readonly packetHash: string },
) => Promise<unknown>;

/** One hostile word to one door. None of them comes with what it takes to open the gate. */
function word(dice: Dice): Say {
  const junk = (): never => anything(dice) as never;
  const maybe = <T>(right: T): T => (dice.chance(0.5) ? right : junk());
  // Nobody's name is missing, or it is the requester's own: neither may decide.
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
  // Nobody asked, so that even the right hash and the right name answer nothing.
  const information = (packetHash: string): never => {
    const said = { text: maybe('of the roofer'), evidence: maybe([packetHash]), credential: credential() };
    return (dice.chance(0.1) ? junk() : { packetHash: maybe(packetHash), ...said }) as never;
  };
  const wrong = (hash: string): unknown => dice.pick([`${hash.slice(0, -1)}x`, hash.toUpperCase(), junk(), '']);
  const doors: readonly Say[] = [
    ({ runtime }, _, { gateId, packetHash }) => runtime.approve(maybe(gateId), answer(packetHash)),
    ({ runtime }, _, { gateId, packetHash }) => runtime.reject(maybe(gateId), answer(packetHash)),
    ({ runtime }, _, { gateId, packetHash }) => runtime.requestInfo(maybe(gateId), answer(packetHash)),
    ({ runtime }, _, { gateId, packetHash }) =>
      runtime.edit(maybe(gateId), { ...words(packetHash), parameters: junk() } as never),
    ({ runtime }, _, { gateId, packetHash }) => runtime.provideInfo(maybe(gateId), information(packetHash)),
    ({ runtime }) => runtime.evidence(junk(), dice.chance(0.5) ? credential() : undefined, junk()),
    ({ runtime }, runId) => runtime.document(maybe(runId), junk()),
    ({ runtime }, runId) => runtime.answer(maybe(runId), junk(), junk(), junk()),
    ({ runtime }, runId) => runtime.tell(maybe(runId), junk()),
    ({ runtime }, runId) => runtime.tell(runId, { ...said(dice), type: dice.pick(Object.keys(HANDLERS)) }),
    ({ runtime }, runId) => runtime.transcripts(dice.chance(0.2) ? runId : junk()),
    ({ runtime }, runId) => runtime.readState(maybe(runId), junk(), junk()),
    ({ runtime }) => runtime.outcome(junk()),
    ({ runtime }) => runtime.packet(junk()),
    ({ runtime }) => runtime.invoke(junk()),
  ];
  return dice.pick(doors);
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

const said = (dice: Dice): object =>
  Object.fromEntries(Array.from({ length: dice.roll(5) }, () => [dice.pick(FIELDS), anything(dice, 1)]));

test(`${WORDS} words at every door: nothing but Faults and outcomes, and the gate stays shut`, async () => {
  const dice = diceOf(SEED);
  let faults = 0;
  let bench = waiting();
  let outcome = await bench.invoke();
  for (let n = 0; n < WORDS; n += 1) {
    const [gate] = outcome.pending;
    if (gate === undefined) {
      bench = waiting();
      outcome = await bench.invoke();
      continue;
    }
    try {
      await bench.settle(word(dice)(bench, outcome.runId, gate));
    } catch (error) {
      if (!Fault.is(error)) throw tellSeed(`word ${n}`, SEED, error);
      faults += 1;
    }
    if (bench.dispatches.length > 0) throw tellSeed(`word ${n}`, SEED, 'the gate opened');
    outcome = await bench.runtime.outcome(outcome.runId);
  }
  expect(faults).toBeGreaterThan(WORDS / 2);
});
