import { answerFacts, findOpenLanes, whyProbeForbidden } from '../../kernel/index.ts';
import type { JudgeAnswer } from '../../model/critic/judge.ts';
import { STEP_VERDICTS } from '../../model/critic/verdict.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import { type OutsideEffect, unhandledEffect } from '../../model/events/effect-kinds.ts';
import type { EventBody } from '../../model/events/event.ts';
import { REVOCATION_OUTCOMES } from '../../model/tool/effect-outcome.ts';
import { NO_COST, type ToolCost } from '../../model/tool/tool.ts';
import type { Delivery } from './agenda.ts';
import { RUN_LAWS } from './laws/law.ts';
import type { Prng } from './prng.ts';
import type { SimulatedProcess, Simulation } from './simulation.ts';
import { answerJudged, composed, drafted, randomSpending } from './world/answers.ts';
import { laneEnded, laneNews } from './world/lane-world.ts';

/**
 * Sends the effects of a durable turn. Like the real loop, a process waits for one answer at a time: a later effect
 * replaces an earlier one.
 */
export function sendEffects(sim: Simulation, life: SimulatedProcess, outbox: readonly OutsideEffect[]): void {
  for (const effect of outbox) {
    if (effect.kind === 'abort_flight') recall(sim, life);
    else if (effect.kind === 'spawn_lane' || effect.kind === 'end_lane') sendToLane(sim, life, effect);
    else send(sim, life, effect);
  }
  // Drops answers of lanes that the run no longer waits for.
  const out = findOpenLanes(life.state).map(({ step }) => step.call?.callId);
  sim.agenda.withdraw((delivery) => isFor(life)(delivery) && isOfLane(delivery) && !out.includes(callOf(delivery)));
  // Drops answers to other effects that the run has given up.
  if (life.state.ending.inFlight === null)
    sim.agenda.withdraw((delivery) => isFor(life)(delivery) && isAwaited(delivery));
  assertNotStuck(sim, life);
}

const isFor =
  (life: SimulatedProcess) =>
  (delivery: Delivery): boolean =>
    delivery.kind === 'answer' && delivery.life === life.id;

const isOfLane = ({ body }: Delivery): boolean => body.type === 'lane_returned' || body.type === 'lane_suspended';
/** Posing a question is not an effect that the run waits for. */
const isAwaited = (delivery: Delivery): boolean => !isOfLane(delivery) && delivery.body.type !== 'question_asked';
const callOf = ({ body }: Delivery): string => ('call_id' in body ? body.call_id : '');

/** Lanes run in parallel; an effect for a lane replaces the earlier one for the same lane. */
function sendToLane(
  sim: Simulation,
  life: SimulatedProcess,
  effect: EffectOf<'spawn_lane'> | EffectOf<'end_lane'>,
): void {
  const { prng, agenda, now, scenario } = sim;
  const { call_id } = effect.call;
  agenda.withdraw((delivery) => isFor(life)(delivery) && isOfLane(delivery) && callOf(delivery) === call_id);
  const { toolFault } = scenario.faultRates;
  const news = effect.kind === 'spawn_lane' ? laneNews(prng, effect, now, toolFault) : [laneEnded(prng, effect, now)];
  for (const { at, body } of news) agenda.add({ at, body, kind: 'answer', life: life.id });
}

/** Reports a run that waits neither for people nor for a pending answer: it would wait for ever. */
function assertNotStuck({ auditor, agenda }: Simulation, life: SimulatedProcess): void {
  const { ending, session, position } = life.state;
  // A run that has to close continues without an answer.
  if (ending.terminal !== null || ending.closeBy !== null) return;
  const where = `at ${position.node}, ${session.status}`;
  if (ending.inFlight === null) {
    if (session.status === 'in_progress') auditor.accuse(RUN_LAWS.next, `nobody has anything to do ${where}`);
    return;
  }
  // A paused session that was taken over sends the effect again when an operator resumes it.
  if (ending.resendOnResume === true && session.status === 'paused') return;
  if (!agenda.some(isFor(life))) auditor.accuse(RUN_LAWS.next, `nobody answers the ${ending.inFlight} ${where}`);
}

type Sent = Exclude<OutsideEffect, { kind: 'abort_flight' | 'spawn_lane' | 'end_lane' }>;

function send(sim: Simulation, life: SimulatedProcess, effect: Sent): void {
  sim.agenda.withdraw((delivery) => isFor(life)(delivery) && !isOfLane(delivery));
  if (effect.kind === 'call_tool') callTool(sim, life, effect);
  else sim.agenda.add({ ...answerTo(sim, life, effect), kind: 'answer', life: life.id });
}

/** Calls a simulated tool. Late or repeated answers may follow the first. */
function callTool(sim: Simulation, life: SimulatedProcess, effect: EffectOf<'call_tool'>): void {
  const stalled = sim.prng.chance(sim.scenario.faultRates.toolFault / 8) ? sim.prng.int(0, 10_000) : 0;
  const clock = { now: sim.now + stalled, offset: sim.clockOffset };
  const { answer, strays } = sim.tools.dispatch(effect, clock, sim.store.frames().length);
  sim.agenda.add({ at: answer.at, body: answer.body, kind: 'answer', life: life.id });
  for (const { at, body } of strays) sim.agenda.add({ at, body, kind: 'stray', life: life.id });
}

type Answer = Pick<Delivery, 'at' | 'body'>;

/** The answer of the simulated world to an effect. Each case draws its random numbers in a fixed order. */
function answerTo(sim: Simulation, life: SimulatedProcess, effect: Exclude<Sent, { kind: 'call_tool' }>): Answer {
  const { env } = sim.scenario.pins;
  switch (effect.kind) {
    case 'propose_plan': {
      const { at, body } = sim.planner.propose(life.state, sim.now);
      return { at, body };
    }
    case 'draft_arguments': {
      const temper = { lie: sim.scenario.faultRates.plannerLie, most: env.limits.drafterCost ?? NO_COST };
      return { at: soon(sim), body: drafted(sim.prng, effect, temper) };
    }
    case 'compose_answer': {
      const { composerCost, answerJudgeCost } = env.limits;
      const most = composerCost ?? NO_COST;
      const temper = { lie: sim.scenario.faultRates.plannerLie, most, vague: answerJudgeCost !== null };
      return { at: soon(sim), body: composed(sim.prng, effect, answerFacts(env, life.state), temper) };
    }
    case 'judge_sentences': {
      const temper = { lie: sim.scenario.faultRates.plannerLie, most: env.limits.answerJudgeCost ?? NO_COST };
      return { at: soon(sim), body: answerJudged(sim.prng, effect, temper) };
    }
    case 'reconcile_call':
    case 'probe_step': {
      const refused = whyProbeForbidden(env, life.state, effect.probe);
      const { at, body } = sim.tools.look(effect, { now: sim.now, offset: sim.clockOffset }, refused);
      return { at, body };
    }
    case 'ask_user': {
      const { question_id, fields, readings } = effect;
      return { at: sim.now, body: { type: 'question_asked', question_id, fields, readings } };
    }
    case 'read_intent': {
      const temper = { lie: sim.scenario.faultRates.plannerLie, most: env.limits.classifierCost ?? NO_COST };
      return { at: soon(sim), body: intentRead(sim.prng, effect, temper) };
    }
    case 'reflect': {
      const note = 'I should have looked twice.';
      return { at: soon(sim), body: { type: 'reflection_made', trigger: effect.trigger, note, spent: NO_COST } };
    }
    case 'ask_judges':
      return { at: soon(sim), body: judged(sim, effect) };
    case 'revoke_credentials':
      return { at: soon(sim), body: revoked(sim, effect) };
    case 'write_memory':
      return memoryWritten(sim, effect);
    case 'compress_context':
      return { at: soon(sim), body: compressed(sim, life) };
    default:
      throw unhandledEffect(effect);
  }
}

const soon = ({ now, prng }: Simulation): number => now + prng.int(1, 5_000);

function revoked({ prng }: Simulation, { revocation_id }: EffectOf<'revoke_credentials'>): EventBody {
  const outcome = prng.pick(REVOCATION_OUTCOMES);
  return { type: 'credentials_revoked', revocation_id, outcome, detail: 'as the simulated broker says' };
}

/** Judges approve, object and disagree; sometimes one answers nonsense, declines or stays silent. */
function judged({ prng, scenario }: Simulation, { about, asked, safer }: EffectOf<'ask_judges'>): EventBody {
  const mood = prng.int(0, 10) / 10;
  const answers = asked.map(({ judge, criteria }): JudgeAnswer => {
    if (prng.chance(scenario.faultRates.plannerLie))
      return silent(judge, prng.pick(['failed', 'timed_out', 'refused']));
    const scores = criteria.map((id) => [id, prng.chance(0.9) ? Math.max(mood, 0.9) : mood] as const);
    const wanted = prng.chance(0.1) ? { verdict: prng.pick([...STEP_VERDICTS, 'maybe']) } : {};
    const opinion = { criteria: Object.fromEntries(scores), reason: 'It is what it is.', ...wanted };
    const text = prng.chance(scenario.faultRates.plannerLie) ? 'Splendid!' : JSON.stringify(opinion);
    return { judge, outcome: 'answered', text, response: null };
  });
  const spent = { input_tokens: prng.int(0, 20), output_tokens: prng.int(0, 5), microusd: prng.int(0, 100) };
  return { type: 'judges_answered', about, answers, ...(safer ? { safer } : {}), spent };
}

const silent = (judge: string, outcome: JudgeAnswer['outcome']): JudgeAnswer => ({
  judge,
  outcome,
  text: '',
  response: null,
});

/** A memory store that is down stores nothing. */
function memoryWritten({ prng, scenario, now }: Simulation, { entries }: EffectOf<'write_memory'>): Answer {
  const ids = entries.map(({ entry_id }) => entry_id);
  const down = prng.chance(scenario.faultRates.toolFault / 4);
  const failed = down ? ids.map((entry_id) => ({ entry_id, reason: 'the store is down' })) : [];
  return { at: now + prng.int(1, 2_000), body: { type: 'memory_written', written: down ? [] : ids, failed } };
}

function compressed({ prng, scenario }: Simulation, life: SimulatedProcess): EventBody {
  const tokens = prng.int(0, life.state.budget?.context_tokens ?? 0);
  const lost = prng.chance(scenario.faultRates.plannerLie / 4) ? ['goal_and_criteria'] : [];
  return { type: 'context_compressed', lost, tokens, pointer: life.state.work.sealed.root };
}

/** Aborts the pending effect. It may have finished already, but it answers only once. */
function recall(sim: Simulation, life: SimulatedProcess): void {
  sim.agenda.withdraw((delivery) => delivery.kind === 'stray' && delivery.life === life.id);
  for (const { body } of sim.agenda.withdraw((delivery) => isFor(life)(delivery) && !isOfLane(delivery))) {
    const finished = sim.prng.chance(0.4);
    sim.agenda.add({
      at: sim.now + sim.prng.int(0, 100),
      body: finished ? body : calledBack(body),
      kind: 'answer',
      life: life.id,
    });
  }
}

function calledBack(body: EventBody): EventBody {
  if (body.type === 'step_observed') {
    return { type: 'step_observed', call_id: body.call_id, outcome: 'cancelled', raw: null, spent: NO_COST };
  }
  if (body.type === 'call_reconciled') {
    return { ...body, finding: 'unknown', raw: null, detail: 'called back', spent: NO_COST };
  }
  if (body.type === 'step_probed') {
    return { ...body, as_expected: false, raw: null, detail: 'called back', spent: NO_COST };
  }
  if (body.type !== 'plan_proposed' && body.type !== 'plan_failed') return body;
  return { type: 'plan_failed', code: 'planner_failed', message: 'called back', spent: NO_COST };
}

/** A model that picks one of several readings with some confidence; sometimes it picks none or overspends. */
function intentRead(
  prng: Prng,
  { candidates }: EffectOf<'read_intent'>,
  { lie, most }: { readonly lie: number; readonly most: ToolCost },
): EventBody {
  const usual = randomSpending(prng, most);
  const spent = prng.chance(lie / 10) ? { ...usual, input_tokens: usual.input_tokens + 1_000_000 } : usual;
  const intent = prng.chance(lie / 2) ? undefined : prng.any(candidates);
  if (intent === undefined) return { type: 'intent_read', intent: null, task_class: 'unknown', confidence: 0, spent };
  return { type: 'intent_read', intent, task_class: 'errand', confidence: prng.pick([0.69, 0.7, 0.95]), spent };
}
