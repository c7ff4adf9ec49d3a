import { nextDeadline } from '../../kernel/on-time.ts';
import type { RunState } from '../../kernel/state.ts';
import { endedBy, type Turn, takeTurn } from '../../kernel/turn.ts';
import type { EventBody } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import { deepFreeze } from '../../model/freeze.ts';
import { costOf, isOutage, unavailable } from '../../session/outage.ts';
import type { Delivery } from './agenda.ts';
import { RUN_LAWS } from './laws/run-laws.ts';
import { reborn } from './life.ts';
import { offer } from './offer.ts';
import { departed } from './outbox.ts';
import { probe } from './probe.ts';
import type { Ghost, Life, Simulation } from './simulation.ts';
import { meddle } from './world/meddler.ts';
import { CLOCK_SKEW_MAX_MS } from './world/tool-world.ts';

/** More deliveries than any honest run needs: whoever is not finished by then goes in circles. */
const DELIVERIES_MAX = 1_500;
/** What nobody from outside can be to blame for. */
const OWN_FAULTS: ReadonlySet<string> = new Set(['internal', 'illegal_edge', 'illegal_transition']);
/** Somebody else has written, or the store fails; nothing else may keep a process from writing. */
const MAY_FAIL_WITH: ReadonlySet<string> = new Set(['fenced', 'store_unknown', 'store_unavailable']);
const MEDDLING_MAX = 25;
const DEATHS_MAX = 12;

/** Lets the world have its way with one run until it has ended, or until a law is broken. */
export function play(sim: Simulation): void {
  sim.life = reborn(sim, 1);
  const arrival: Delivery = { at: sim.now, body: sim.scenario.arrival, kind: 'input', life: null };
  for (let count = 0; count < DELIVERIES_MAX && isOpen(sim); count += 1) {
    disturb(sim);
    if (!isOpen(sim)) return;
    if (sim.life === null) wake(sim);
    else if (sim.life.place.seq === 0) deliver(sim, arrival);
    else deliver(sim, nextDelivery(sim, sim.life.state));
  }
}

const isOpen = ({ auditor }: Simulation): boolean =>
  auditor.violation === null && auditor.state.ending.terminal === null;

/** What comes first: something on its way, or a deadline. Time passes until then. */
function nextDelivery(sim: Simulation, state: RunState): Delivery {
  const planned = sim.agenda.next();
  const deadline = nextDeadline(state);
  const at = deadline === null ? Number.POSITIVE_INFINITY : deadline - sim.clockOffset;
  if (planned !== null && planned <= at) {
    const delivery = sim.agenda.take();
    if (delivery !== null) {
      sim.now = Math.max(sim.now, delivery.at);
      return delivery;
    }
  }
  if (deadline === null) sim.auditor.accuse(RUN_LAWS.next, `nothing will ever happen at ${state.position.node}`);
  else sim.now = Math.max(sim.now, at);
  return { at: sim.now, body: { type: 'time_passed' }, kind: 'input', life: null };
}

/** Whatever happens between two deliveries without anybody having asked for it. */
function disturb(sim: Simulation): void {
  const { prng, agenda, scenario, life } = sim;
  const { temper } = scenario;
  if (prng.chance(0.05)) probe(sim);
  if (prng.chance(0.5)) haunt(sim);
  if (life !== null && sim.meddled < MEDDLING_MAX && prng.chance(temper.meddling)) {
    sim.meddled += 1;
    agenda.add({ at: sim.now + prng.int(0, 2_000), body: meddle(prng, life.state), kind: 'input', life: null });
  }
  if (prng.chance(temper.clock)) sim.now += prng.pick([1_000, 5_000, 60_000, 60_000, 3_600_000]);
  if (prng.chance(temper.clock)) sim.clockOffset = -prng.pick([0, 500, CLOCK_SKEW_MAX_MS]);
  if (life !== null && dies(sim)) {
    sim.tell(`process ${life.id} is replaced while it waits`);
    bury(sim, life);
  }
}

/** Another process takes the run over, some time after the last one was heard of. */
function wake(sim: Simulation): void {
  sim.now += sim.prng.int(0, sim.prng.chance(0.2) ? 600_000 : 5_000);
  const life = reborn(sim, sim.lives + 1);
  sim.life = life;
  sim.tell(`process ${life.id} loads ${life.place.seq} frames`);
  if (life.place.seq === 0) return;
  deliver(sim, { at: sim.now, body: { type: 'run_reloaded', writer: life.writer }, kind: 'input', life: null });
}

function deliver(sim: Simulation, delivery: Delivery): void {
  const life = receiver(sim, delivery);
  if (life === null) return;
  const body = sim.freeze ? deepFreeze(delivery.body) : delivery.body;
  noteApproval(sim, body);
  const result = takeTurn(sim.turnEnv, life.state, body, sim.now + sim.clockOffset);
  if (!result.ok) {
    refused(sim, life, delivery, result.fault);
    return;
  }
  if (dies(sim)) {
    sim.tell(`process ${life.id} dies before ${body.type} is written`);
    if (delivery.kind === 'input' && !isItsOwn(body)) sim.agenda.add({ ...delivery, at: sim.now + 1_000 });
    bury(sim, life, { delivery, turn: result.turn });
    return;
  }
  commit(sim, life, delivery, result.turn);
}

function commit(sim: Simulation, life: Life, delivery: Delivery, turn: Turn): void {
  const stored = offer(sim, life, turn);
  readOn(sim);
  if (Fault.is(stored)) {
    unwritten(sim, life, delivery, turn, stored);
    return;
  }
  sim.tell(`${delivery.kind} ${delivery.body.type} → ${turn.events.map(({ type }) => type).join(', ')}`);
  if (delivery.kind === 'stray' && turn.events.some(({ type }) => type === delivery.body.type)) {
    sim.auditor.accuse(RUN_LAWS.refusal, `${delivery.body.type} came late or twice and was used`);
  }
  life.state = sim.freeze ? deepFreeze(turn.state) : turn.state;
  life.place = { seq: stored.seq, head: stored.hash };
  if (sim.life === null) sim.life = life;
  if (dies(sim)) {
    sim.tell(`process ${life.id} dies before it sends anything out`);
    bury(sim, life);
    return;
  }
  departed(sim, life, turn.outbox);
  if (dies(sim)) {
    sim.tell(`process ${life.id} dies after it has sent everything out`);
    bury(sim, life);
  }
}

/** The auditor and people read what is stored, whether or not its writer was told that it is. */
function readOn({ store, auditor, agenda, people, now }: Simulation): void {
  for (const frame of store.frames().slice(auditor.seq)) {
    const known = auditor.state;
    auditor.append(frame);
    agenda.add(...people.notice(known, auditor.state, now));
  }
}

/** A process that cannot write does not know the run any more. Whoever sent something in hears that, and insists. */
function unwritten(sim: Simulation, life: Life, delivery: Delivery, turn: Turn, fault: Fault): void {
  const { kind, body } = delivery;
  sim.tell(`process ${life.id} cannot write ${body.type}: ${fault.code}`);
  if (!MAY_FAIL_WITH.has(fault.code)) sim.auditor.accuse(RUN_LAWS.store, fault.message);
  const driven = kind === 'answer' || body.type === 'time_passed';
  if (isOutage(fault) && driven && delivery.lastTry !== true) {
    endWithoutStore(sim, life, delivery, costOf(fault, turn));
    return;
  }
  if (kind === 'input' && !isItsOwn(body)) sim.agenda.add({ ...delivery, at: sim.now + 1_000 });
  if (!isOutage(fault) || driven || isItsOwn(body)) bury(sim, life);
}

/** As in the loop: the run ends, if at least that can be written, and hears what it could not take before. */
function endWithoutStore(sim: Simulation, life: Life, delivery: Delivery, fault: Fault): void {
  deliver(sim, { at: sim.now, body: unavailable(fault), kind: 'answer', life: life.id, lastTry: true });
  if (sim.life === life && isOpen(sim)) deliver(sim, { ...delivery, lastTry: true });
}

/** What a process tells the run about itself; nobody else will say it again. */
const isItsOwn = ({ type }: EventBody): boolean => type === 'run_reloaded' || type === 'goal_received';

/** An answer goes to whoever waits for it, alive or not quite dead; everything else to the process that runs now. */
function receiver(sim: Simulation, { kind, life }: Delivery): Life | null {
  if (kind === 'input') return sim.life;
  // What a tool says once too often reaches the process that asked it, as long as that is the one.
  if (kind === 'stray') return sim.life?.id === life ? sim.life : null;
  return sim.life?.id === life ? sim.life : (sim.undead.get(life ?? 0) ?? null);
}

/** The loop ends a run whose own answer the kernel refuses; anybody else is only told. */
function refused(sim: Simulation, life: Life, { kind, body }: Delivery, fault: Fault): void {
  sim.tell(`${kind} ${body.type} refused: ${fault.code} ${fault.message}`);
  if (OWN_FAULTS.has(fault.code)) sim.auditor.accuse(RUN_LAWS.ownFault, `${body.type} is refused: ${fault.message}`);
  if (kind === 'input') sim.agenda.add(...sim.people.insist(body, sim.now));
  if (kind === 'answer' && body.type !== 'stop_raised') {
    deliver(sim, { at: sim.now, body: endedBy(fault), kind: 'answer', life: life.id });
  }
}

function dies({ prng, scenario, lives }: Simulation): boolean {
  return prng.chance(scenario.temper.death) && lives < DEATHS_MAX;
}

/** Dead, or only slow: then it still gets its answers and tries to write, and a turn it could not write may come yet. */
function bury(sim: Simulation, life: Life, unwritten?: Omit<Ghost, 'life'>): void {
  if (sim.life === life) sim.life = null;
  sim.undead.delete(life.id);
  if (sim.prng.chance(0.4)) {
    sim.undead.set(life.id, life);
    if (unwritten !== undefined && sim.prng.chance(0.5)) sim.ghosts.push({ life, ...unwritten });
    return;
  }
  sim.agenda.withdraw((delivery) => delivery.kind === 'answer' && delivery.life === life.id);
}

/** The write of a process that everybody took for dead. It succeeds only if nobody has written since. */
function haunt(sim: Simulation): void {
  const ghost = sim.ghosts.pop();
  if (ghost === undefined) return;
  sim.tell(`process ${ghost.life.id}, taken for dead, tries to write ${ghost.delivery.body.type}`);
  commit(sim, ghost.life, ghost.delivery, ghost.turn);
}

function noteApproval(sim: Simulation, body: EventBody): void {
  if (body.type !== 'gate_decided' || body.decision !== 'approve' || body.approver === '') return;
  sim.approvals.push({ packetHash: body.packet_hash, approver: body.approver });
}
