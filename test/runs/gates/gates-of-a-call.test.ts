/** Over random gates, roles and decisions: a call is sent if and only if permitted people have decided all its gates. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { Fault } from '../../../src/index.ts';
import type { Deciders } from '../../../src/model/gate/gate.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { operator, planOf, type Rig, rig } from '../rig.ts';

const ROLES = ['finance', 'legal', 'owner'] as const;
/** The last one is the requester, who may decide nothing. */
const PEOPLE = ['ana', 'bob', 'cyd', 'agt_worker'] as const;

interface Decision {
  readonly person: number;
  /** The gates that the approval names, by place; null leaves the choice to the runtime. */
  readonly named: readonly number[] | null;
}

interface Case {
  readonly gates: readonly Deciders[];
  readonly roles: readonly (readonly string[])[];
  readonly decisions: readonly Decision[];
}

const someRoles = fc.subarray([...ROLES]);
const CASES: fc.Arbitrary<Case> = fc.record({
  gates: fc.array(
    fc.record({ roles: someRoles, quorum: fc.constantFrom(1, 1, 2), separation: fc.constantFrom(false, false, true) }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  roles: fc.tuple(...PEOPLE.map(() => someRoles)),
  decisions: fc.array(
    fc.record({
      person: fc.nat(PEOPLE.length - 1),
      named: fc.option(fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }), { freq: 1 }),
    }),
    { minLength: 3, maxLength: 12 },
  ),
});

const nameOf = (place: number): string => `GATE_${place}`;

/** The people who approved each gate. */
type Approvals = readonly string[][];

const isDecided = ({ gates }: Case, approvals: Approvals, gate: number): boolean =>
  (approvals[gate]?.length ?? 0) >= (gates[gate]?.quorum ?? 1);

const allDecided = (each: Case, approvals: Approvals): boolean =>
  each.gates.every((_, gate) => isDecided(each, approvals, gate));

/** The undecided gates that this person may decide now, by the rules of the guide and apart from the kernel. */
const openTo = (each: Case, approvals: Approvals, person: string): readonly number[] =>
  each.gates.flatMap((_, gate) => (mayDecide(each, approvals, person, gate) ? gate : []));

function mayDecide(each: Case, approvals: Approvals, person: string, gate: number): boolean {
  const { roles = [], separation = false } = each.gates[gate] ?? {};
  const held = each.roles[PEOPLE.indexOf(person as never)] ?? [];
  const others = each.gates.filter((_, other) => other !== gate && approvals[other]?.includes(person));
  if (person === 'agt_worker' || isDecided(each, approvals, gate) || approvals[gate]?.includes(person)) return false;
  if (roles.length > 0 && !roles.some((role) => held.includes(role))) return false;
  return separation ? others.length === 0 : others.every((other) => !other.separation);
}

function benchOf({ gates }: Case): Rig {
  const names = gates.map((_, place) => nameOf(place));
  return rig({
    tools: { pay: { approval_mode: 'destructive', side_effect: true, gates: names, produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'pay', requires: names, params: { amount: 1 } }])],
    world: { policy: { gates: Object.fromEntries(gates.map((terms, place) => [nameOf(place), terms])) } },
  });
}

/** Submits one approval and returns the gates that it covered, or null if it was refused. */
async function submit(bench: Rig, runId: string, { person, named }: Decision, roles: Case['roles']) {
  const [gate] = (await bench.runtime.sessions.get(runId)).pending;
  const { gateId = '', packetHash = '' } = gate ?? {};
  const credential = operator(PEOPLE[person] ?? '', roles[person]);
  const gates = named === null ? {} : { gates: named.map(nameOf) };
  try {
    await bench.settle(bench.runtime.approve(gateId, { packetHash, credential, reason: 'seen', ...gates }));
  } catch (error) {
    if (Fault.is(error)) return null;
    throw error;
  }
  const decided = eventsOf(await bench.events(runId), 'gate_decided').at(-1);
  return (decided?.gates ?? [nameOf(0)]).map((name) => Number(name.slice('GATE_'.length)));
}

verifies('gate:block:until-approved', 'sends a call if and only if permitted people decided every gate', async () => {
  let [sent, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(CASES, async (each) => {
      const { gates, roles, decisions } = each;
      const bench = benchOf(each);
      const { runId } = await bench.invoke();
      const approvals: Approvals = gates.map(() => []);
      for (const decision of decisions) {
        if (allDecided(each, approvals)) break;
        const person = PEOPLE[decision.person] ?? '';
        const open = openTo(each, approvals, person);
        const covered = await submit(bench, runId, decision, roles);
        if (decision.named === null) expect(covered === null).toBe(open.length === 0);
        if (covered === null) refused += 1;
        // Without separation of duties, one approval covers every gate that the person may decide.
        const together = open.every((gate) => gates[gate]?.separation === false);
        if (decision.named === null && together && covered !== null) expect(covered).toEqual(open);
        const counted = (covered ?? []).filter((gate) => !isDecided(each, approvals, gate));
        expect(open).toEqual(expect.arrayContaining(counted));
        if (counted.length > 1) expect(counted.every((gate) => gates[gate]?.separation === false)).toBe(true);
        for (const gate of counted) approvals[gate]?.push(person);
        expect(bench.dispatches).toHaveLength(allDecided(each, approvals) ? 1 : 0);
      }
      const outcome = await bench.runtime.sessions.get(runId);
      expect(outcome.status).toBe(allDecided(each, approvals) ? 'completed' : 'awaiting_gate');
      if (allDecided(each, approvals)) sent += 1;
      const expected = gates.map(({ quorum }, gate) => approvals[gate]?.[quorum - 1] ?? null);
      if (!allDecided(each, approvals))
        expect(outcome.pending[0]?.gates.map(({ decided_by }) => decided_by)).toEqual(expected);
      await bench.runtime.records.replay(runId);
    }),
    { numRuns: 60 },
  );
  console.log('COUNTS', sent, refused);
  expect(Math.min(sent, refused)).toBeGreaterThan(5);
});
