import { foldFrames, nextDeadline, type RunState, stopEventFor, type Turn, takeTurn } from '../../kernel/index.ts';
import { BUDGET_DIMENSIONS } from '../../model/budget/dimensions.ts';
import type { EventBody } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import { GATE_DECISION_RULES } from '../../model/gate/gate.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { NODE_ROLES } from '../../model/plan/graph.ts';
import { PROPOSAL_KINDS } from '../../model/plan/proposal.ts';
import { BEGINNING, UNKNOWN_RETRIES_MAX } from '../../session/journal-writer.ts';
import { dependencyUnavailable, isOutage, toCheckpointFault } from '../../session/run-writer.ts';
import type { Delivery } from './agenda.ts';
import { RUN_LAWS } from './laws/law.ts';
import { sendEffects } from './outbox.ts';
import type { Prng } from './prng.ts';
import { probe } from './probe.ts';
import type { SimulatedProcess, Simulation, StaleTurn } from './simulation.ts';
import { sameState } from './store.ts';
import { CLOCK_SKEW_MAX_MS } from './world/tool-world.ts';

/** A new process that loads the run from the journal. */
function loadProcess(sim: Simulation, id: number): SimulatedProcess {
  sim.lives = id;
  const frames = sim.store.load();
  const last = frames.at(-1);
  const state = foldFrames(sim.scenario.pins.env, frames);
  if (!sameState(state, sim.auditor.state)) {
    sim.auditor.accuse(RUN_LAWS.reload, `${frames.length} frames fold to another state than the run had`);
  }
  const place = last === undefined ? BEGINNING : { seq: last.seq, head: last.hash };
  return { id, writer: `process_${id}`, state, place };
}

/** The outcome of one append: answered, lost before or after it was stored, or refused because the store is down. */
type AppendFate = 'heard' | 'lost_there' | 'lost_back' | 'refused';

/** Offers a frame like the real loop: repeats the identical append while its outcome is unknown, up to a limit. */
function offer(sim: Simulation, life: SimulatedProcess, turn: Turn): Frame | Fault {
  for (let attempt = 0; attempt <= UNKNOWN_RETRIES_MAX; attempt += 1) {
    const fate = fateOf(sim, attempt);
    if (fate === 'refused') return new Fault('store_unavailable', 'the store is down');
    const answer = fate === 'lost_there' ? null : sim.store.append(life.place, life.writer, life.state, turn);
    if (answer !== null && fate === 'heard') return answer;
    sim.log(`process ${life.id} is not told whether frame ${life.place.seq + 1} was stored`);
  }
  return new Fault('store_unknown', 'the store never said whether the frame was stored');
}

/** A store that has failed is likely to fail again. */
const FAILS_AGAIN = 0.7;

function fateOf({ prng, scenario }: Simulation, attempt: number): AppendFate {
  const { outage } = scenario.faultRates;
  if (!prng.chance(attempt === 0 ? outage : FAILS_AGAIN)) return 'heard';
  return prng.pick(['lost_there', 'lost_back', 'lost_back', 'refused']);
}

/** More deliveries than any correct run needs; a run that needs more is in a loop. */
const DELIVERIES_MAX = 1_500;
/** Faults that only a defect in the code can cause. */
const OWN_FAULTS: ReadonlySet<string> = new Set(['internal', 'illegal_edge', 'illegal_transition']);
/** Faults of an append that are expected: another writer, or a failing store. */
const MAY_FAIL_WITH: ReadonlySet<string> = new Set(['fenced', 'store_unknown', 'store_unavailable']);
const MEDDLING_MAX = 25;
const DEATHS_MAX = 12;

/** Plays one run until it ends or breaks a law. */
export function play(sim: Simulation): void {
  sim.life = loadProcess(sim, 1);
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

/** The next delivery or deadline, whichever is earlier. Time advances to it. */
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

/** Random disturbances between two deliveries. */
function disturb(sim: Simulation): void {
  const { prng, agenda, scenario, life } = sim;
  const { faultRates: temper } = scenario;
  if (prng.chance(0.05)) probe(sim);
  if (prng.chance(0.5)) writeStaleTurn(sim);
  if (life !== null && sim.meddled < MEDDLING_MAX && prng.chance(temper.meddling)) {
    sim.meddled += 1;
    agenda.add({
      at: sim.now + prng.int(0, 2_000),
      body: unexpectedEvent(prng, life.state),
      kind: 'input',
      life: null,
    });
  }
  if (prng.chance(temper.clock)) sim.now += prng.pick([1_000, 5_000, 60_000, 60_000, 3_600_000]);
  if (prng.chance(temper.clock)) sim.clockOffset = -prng.pick([0, 500, CLOCK_SKEW_MAX_MS]);
  if (life !== null && dies(sim)) {
    sim.log(`process ${life.id} is replaced while it waits`);
    replaceProcess(sim, life);
  }
}

/** A new process takes the run over after a while. */
function wake(sim: Simulation): void {
  sim.now += sim.prng.int(0, sim.prng.chance(0.2) ? 600_000 : 5_000);
  const life = loadProcess(sim, sim.lives + 1);
  sim.life = life;
  sim.log(`process ${life.id} loads ${life.place.seq} frames`);
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
    sim.log(`process ${life.id} dies before ${body.type} is written`);
    if (delivery.kind === 'input' && !isAboutItself(body)) sim.agenda.add({ ...delivery, at: sim.now + 1_000 });
    replaceProcess(sim, life, { delivery, turn: result.turn });
    return;
  }
  commit(sim, life, delivery, result.turn);
}

function commit(sim: Simulation, life: SimulatedProcess, delivery: Delivery, turn: Turn): void {
  const stored = offer(sim, life, turn);
  readNewFrames(sim);
  if (Fault.is(stored)) {
    handleFailedAppend(sim, life, delivery, turn, stored);
    return;
  }
  sim.log(`${delivery.kind} ${delivery.body.type} → ${turn.events.map(({ type }) => type).join(', ')}`);
  if (delivery.kind === 'stray' && turn.events.some(({ type }) => type === delivery.body.type)) {
    sim.auditor.accuse(RUN_LAWS.refusal, `${delivery.body.type} came late or twice and was used`);
  }
  life.state = sim.freeze ? deepFreeze(turn.state) : turn.state;
  life.place = { seq: stored.seq, head: stored.hash };
  if (sim.life === null) sim.life = life;
  if (dies(sim)) {
    sim.log(`process ${life.id} dies before it sends anything out`);
    replaceProcess(sim, life);
    return;
  }
  sendEffects(sim, life, turn.outbox);
  if (dies(sim)) {
    sim.log(`process ${life.id} dies after it has sent everything out`);
    replaceProcess(sim, life);
  }
}

/** The auditor and people read stored frames even if their writer got no answer. */
function readNewFrames({ store, auditor, agenda, people, now }: Simulation): void {
  for (const frame of store.frames().slice(auditor.seq)) {
    const known = auditor.state;
    auditor.append(frame);
    agenda.add(...people.notice(known, auditor.state, now));
  }
}

/** Handles a failed append. The process no longer knows the state of the run; an input is sent again later. */
function handleFailedAppend(
  sim: Simulation,
  life: SimulatedProcess,
  delivery: Delivery,
  turn: Turn,
  fault: Fault,
): void {
  const { kind, body } = delivery;
  sim.log(`process ${life.id} cannot write ${body.type}: ${fault.code}`);
  if (!MAY_FAIL_WITH.has(fault.code)) sim.auditor.accuse(RUN_LAWS.store, fault.message);
  const driven = kind === 'answer' || body.type === 'time_passed';
  if (isOutage(fault) && driven && delivery.lastTry !== true) {
    endWithoutStore(sim, life, delivery, toCheckpointFault(fault, turn));
    return;
  }
  if (kind === 'input' && !isAboutItself(body)) sim.agenda.add({ ...delivery, at: sim.now + 1_000 });
  if (!isOutage(fault) || driven || isAboutItself(body)) replaceProcess(sim, life);
}

/** As in the real loop: ends the run, if that can be stored, and then delivers the input again. */
function endWithoutStore(sim: Simulation, life: SimulatedProcess, delivery: Delivery, fault: Fault): void {
  deliver(sim, { at: sim.now, body: dependencyUnavailable(fault), kind: 'answer', life: life.id, lastTry: true });
  if (sim.life === life && isOpen(sim)) deliver(sim, { ...delivery, lastTry: true });
}

/** Events that a process sends about itself; they are not sent again. */
const isAboutItself = ({ type }: EventBody): boolean => type === 'run_reloaded' || type === 'goal_received';

/**
 * The process that receives a delivery: an answer goes to the process that sent the effect, even if it was replaced; an
 * input goes to the current process.
 */
function receiver(sim: Simulation, { kind, life }: Delivery): SimulatedProcess | null {
  if (kind === 'input') return sim.life;
  // A stray goes to the process that sent the effect, if that is still the current one.
  if (kind === 'stray') return sim.life?.id === life ? sim.life : null;
  return sim.life?.id === life ? sim.life : (sim.replacedProcesses.get(life ?? 0) ?? null);
}

/** The loop ends a run if the kernel refuses an answer; a refused input is only reported to its sender. */
function refused(sim: Simulation, life: SimulatedProcess, { kind, body }: Delivery, fault: Fault): void {
  sim.log(`${kind} ${body.type} refused: ${fault.code} ${fault.message}`);
  if (OWN_FAULTS.has(fault.code)) sim.auditor.accuse(RUN_LAWS.ownFault, `${body.type} is refused: ${fault.message}`);
  if (kind === 'input') sim.agenda.add(...sim.people.insist(body, sim.now));
  if (kind === 'answer' && body.type !== 'stop_raised') {
    deliver(sim, { at: sim.now, body: stopEventFor(fault), kind: 'answer', life: life.id });
  }
}

function dies({ prng, scenario, lives }: Simulation): boolean {
  return prng.chance(scenario.faultRates.death) && lives < DEATHS_MAX;
}

/** Replaces a process. Some replaced processes still receive answers, and may write an unwritten turn later. */
function replaceProcess(sim: Simulation, life: SimulatedProcess, staleTurn?: Omit<StaleTurn, 'life'>): void {
  if (sim.life === life) sim.life = null;
  sim.replacedProcesses.delete(life.id);
  if (sim.prng.chance(0.4)) {
    sim.replacedProcesses.set(life.id, life);
    if (staleTurn !== undefined && sim.prng.chance(0.5)) sim.staleTurns.push({ life, ...staleTurn });
    return;
  }
  sim.agenda.withdraw((delivery) => delivery.kind === 'answer' && delivery.life === life.id);
}

/** A replaced process writes its old turn. It must be fenced if another process has written since. */
function writeStaleTurn(sim: Simulation): void {
  const ghost = sim.staleTurns.pop();
  if (ghost === undefined) return;
  sim.log(`process ${ghost.life.id}, taken for dead, tries to write ${ghost.delivery.body.type}`);
  commit(sim, ghost.life, ghost.delivery, ghost.turn);
}

function noteApproval(sim: Simulation, body: EventBody): void {
  if (body.type !== 'gate_decided' || !GATE_DECISION_RULES[body.decision].consents || body.approver === '') return;
  const { packet_hash: packetHash, approver, gates } = body;
  sim.approvals.push(gates === undefined ? { packetHash, approver } : { packetHash, approver, gates });
}

type Meddling = (prng: Prng, state: RunState) => EventBody;

const MEDDLING: readonly [Meddling, ...Meddling[]] = [
  () => ({ type: 'run_paused', cause: 'operator', by: 'ops' }),
  () => ({ type: 'run_paused', cause: 'operator', by: 'ops' }),
  () => ({ type: 'run_paused', cause: 'operator', by: 'ops', resumes: true }),
  (prng) => ({ type: 'run_steered', note: 'mind the gap', by: prng.pick(['ops', 'user_sim']) }),
  () => ({ type: 'run_taken_over', from: 'writer_before', by: 'ops', reason: 'it does not move' }),
  (prng) => ({ type: 'run_resumed', by: 'ops', operator: prng.chance(0.7) }),
  (prng) =>
    prng.chance(0.3) ? { type: 'run_cancelled', by: 'user_sim', reason: 'changed my mind' } : { type: 'time_passed' },
  (prng) => ({
    type: 'budget_extended',
    by: prng.pick(['ops', '']),
    reason: prng.pick(['more', ' ']),
    delta: { [prng.pick([...BUDGET_DIMENSIONS, 'tool_spend_usd', '__proto__'])]: prng.pick([1, 5, -1, Number.NaN]) },
  }),
  (prng) => ({ type: 'escalation_decided', decision: prng.pick(['continue', 'finalize']), by: 'ops', reason: 'mine' }),
  (_, state) => ({
    type: 'gate_decided',
    gate_id: `gate_${state.id.runId}_1`,
    packet_hash: 'sha256:none',
    decision: 'approve',
    approver: 'mallory',
    reason: 'trust me',
  }),
  (prng) => ({ type: 'proposal_made', kind: prng.pick(PROPOSAL_KINDS), payload: prng.pick([null, ['order_id'], {}]) }),
  (prng) => ({ type: 'proposal_made', kind: prng.pick(['grant_approval', 'add_tool', 'constructor']), payload: {} }),
  (prng) => ({ type: 'transition_requested', to: prng.pick([...NODE_ROLES, 'nowhere', '__proto__']) }),
  (prng) =>
    prng.chance(0.2)
      ? { type: 'stop_raised', stop: { code: prng.pick(['UNSAFE_DETECTION', 'UNAVAILABLE_DEP']), reason: 'breaker' } }
      : { type: 'time_passed' },
];

/** An unexpected event from an operator, a model, a breaker or an impostor. */
function unexpectedEvent(prng: Prng, state: RunState): EventBody {
  return prng.pick(MEDDLING)(prng, state);
}
