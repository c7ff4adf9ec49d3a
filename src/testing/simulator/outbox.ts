import type { OutsideEffect } from '../../kernel/effect-kinds.ts';
import { lanesOut } from '../../kernel/lanes/open-lane.ts';
import { whyNotAsked } from '../../kernel/probe-record.ts';
import type { EffectOf } from '../../model/effect.ts';
import type { EventBody } from '../../model/event.ts';
import type { JudgeAnswer } from '../../model/judge.ts';
import { REVOCATION_OUTCOMES } from '../../model/revocation.ts';
import { NO_COST } from '../../model/tool.ts';
import { STEP_VERDICTS } from '../../model/verdict.ts';
import type { Delivery } from './agenda.ts';
import { RUN_LAWS } from './laws/run-laws.ts';
import type { Life, Simulation } from './simulation.ts';
import { drafted } from './world/drafts.ts';
import { laneEnded, laneNews } from './world/lane-world.ts';
import { intentRead } from './world/reader.ts';

/**
 * Sends out what a durable turn asked for. Like the loop, a process waits for one answer at a time: what is sent
 * later takes the place of what was sent before.
 */
export function departed(sim: Simulation, life: Life, outbox: readonly OutsideEffect[]): void {
  for (const effect of outbox) {
    if (effect.kind === 'abort_flight') recall(sim, life);
    else if (effect.kind === 'spawn_lane' || effect.kind === 'end_lane') sendToLane(sim, life, effect);
    else send(sim, life, effect);
  }
  // A lane that the run has stopped waiting for may say what it likes.
  const out = lanesOut(life.state).map(({ step }) => step.call?.callId);
  sim.agenda.withdraw((delivery) => isFor(life)(delivery) && isOfLane(delivery) && !out.includes(callOf(delivery)));
  // And so may whatever else it has given up on.
  if (life.state.ending.inFlight === null)
    sim.agenda.withdraw((delivery) => isFor(life)(delivery) && isAwaited(delivery));
  assertSomebodyIsNext(sim, life);
}

const isFor =
  (life: Life) =>
  (delivery: Delivery): boolean =>
    delivery.kind === 'answer' && delivery.life === life.id;

const isOfLane = ({ body }: Delivery): boolean => body.type === 'lane_returned' || body.type === 'lane_suspended';
/** Nobody has to wait for a question to be put. */
const isAwaited = (delivery: Delivery): boolean => !isOfLane(delivery) && delivery.body.type !== 'question_asked';
const callOf = ({ body }: Delivery): string => ('call_id' in body ? body.call_id : '');

/** Lanes are waited for beside each other; what is sent to one takes the place of what was sent to it before. */
function sendToLane(sim: Simulation, life: Life, effect: EffectOf<'spawn_lane'> | EffectOf<'end_lane'>): void {
  const { prng, agenda, now, scenario } = sim;
  const { call_id } = effect.call;
  agenda.withdraw((delivery) => isFor(life)(delivery) && isOfLane(delivery) && callOf(delivery) === call_id);
  const { toolFault } = scenario.temper;
  const news = effect.kind === 'spawn_lane' ? laneNews(prng, effect, now, toolFault) : [laneEnded(prng, effect, now)];
  for (const { at, body } of news) agenda.add({ at, body, kind: 'answer', life: life.id });
}

/** A run that neither waits for people, nor for an answer that is on its way, would wait for ever. */
function assertSomebodyIsNext({ auditor, agenda }: Simulation, life: Life): void {
  const { ending, session, position } = life.state;
  // A run that must end goes on without an answer before long.
  if (ending.terminal !== null || ending.closeBy !== null) return;
  const where = `at ${position.node}, ${session.status}`;
  if (ending.inFlight === null) {
    if (session.status === 'in_progress') auditor.accuse(RUN_LAWS.next, `nobody has anything to do ${where}`);
    return;
  }
  // A paused session that was taken over asks again when an operator lets it go on.
  if (ending.adrift === true && session.status === 'paused') return;
  if (!agenda.some(isFor(life))) auditor.accuse(RUN_LAWS.next, `nobody answers the ${ending.inFlight} ${where}`);
}

type Sent = Exclude<OutsideEffect, { kind: 'abort_flight' | 'spawn_lane' | 'end_lane' }>;

function send(sim: Simulation, life: Life, effect: Sent): void {
  sim.agenda.withdraw((delivery) => isFor(life)(delivery) && !isOfLane(delivery));
  const answer = (at: number, body: EventBody): void => {
    sim.agenda.add({ at, body, kind: 'answer', life: life.id });
  };
  switch (effect.kind) {
    case 'propose_plan': {
      const { at, body } = sim.planner.propose(life.state, sim.now);
      answer(at, body);
      return;
    }
    case 'call_tool': {
      const stalled = sim.prng.chance(sim.scenario.temper.toolFault / 8) ? sim.prng.int(0, 10_000) : 0;
      const clock = { now: sim.now + stalled, offset: sim.clockOffset };
      const reply = sim.tools.dispatch(effect, clock, sim.store.frames().length);
      answer(reply.answer.at, reply.answer.body);
      for (const { at, body } of reply.strays) sim.agenda.add({ at, body, kind: 'stray', life: life.id });
      return;
    }
    case 'draft_arguments': {
      const { drafterCost } = sim.scenario.pins.env.limits;
      const temper = { lie: sim.scenario.temper.plannerLie, most: drafterCost ?? NO_COST };
      answer(sim.now + sim.prng.int(1, 5_000), drafted(sim.prng, effect, temper));
      return;
    }
    case 'reconcile_call':
    case 'probe_step': {
      const refused = whyNotAsked(sim.scenario.pins.env, life.state, effect.probe);
      const { at, body } = sim.tools.look(effect, { now: sim.now, offset: sim.clockOffset }, refused);
      answer(at, body);
      return;
    }
    case 'ask_user': {
      const { question_id, fields, readings } = effect;
      answer(sim.now, { type: 'question_asked', question_id, fields, readings });
      return;
    }
    case 'read_intent': {
      const { classifierCost } = sim.scenario.pins.env.limits;
      const temper = { lie: sim.scenario.temper.plannerLie, most: classifierCost ?? NO_COST };
      answer(sim.now + sim.prng.int(1, 5_000), intentRead(sim.prng, effect, temper));
      return;
    }
    case 'reflect':
      answer(sim.now + sim.prng.int(1, 5_000), {
        type: 'reflection_made',
        trigger: effect.trigger,
        note: 'I should have looked twice.',
        spent: NO_COST,
      });
      return;
    case 'ask_judges':
      answer(sim.now + sim.prng.int(1, 5_000), judged(sim, effect));
      return;
    case 'revoke_credentials':
      answer(sim.now + sim.prng.int(1, 5_000), {
        type: 'credentials_revoked',
        revocation_id: effect.revocation_id,
        outcome: sim.prng.pick(REVOCATION_OUTCOMES),
        detail: 'as the simulated broker says',
      });
      return;
    case 'write_memory': {
      const [written, lost] = remembered(
        sim,
        effect.entries.map(({ entry_id }) => entry_id),
      );
      const failed = lost.map((entry_id) => ({ entry_id, reason: 'the store is down' }));
      answer(sim.now + sim.prng.int(1, 2_000), { type: 'memory_written', written, failed });
      return;
    }
    case 'compress_context':
      answer(sim.now + sim.prng.int(1, 5_000), compressed(sim, life));
  }
}

/** Judges like, dislike and disagree; now and then one raves, declines or says nothing. */
function judged({ prng, scenario }: Simulation, { about, asked, safer }: EffectOf<'ask_judges'>): EventBody {
  const mood = prng.int(0, 10) / 10;
  const answers = asked.map(({ judge, criteria }): JudgeAnswer => {
    if (prng.chance(scenario.temper.plannerLie)) return silent(judge, prng.pick(['failed', 'timed_out', 'refused']));
    const scores = criteria.map((id) => [id, prng.chance(0.9) ? Math.max(mood, 0.9) : mood] as const);
    const wanted = prng.chance(0.1) ? { verdict: prng.pick([...STEP_VERDICTS, 'maybe']) } : {};
    const said = { criteria: Object.fromEntries(scores), reason: 'It is what it is.', ...wanted };
    const text = prng.chance(scenario.temper.plannerLie) ? 'Splendid!' : JSON.stringify(said);
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

/** A store that is down keeps nothing; the run has its answer all the same. */
function remembered({ prng, scenario }: Simulation, ids: readonly string[]): readonly [string[], string[]] {
  const down = prng.chance(scenario.temper.toolFault / 4);
  return down ? [[], [...ids]] : [[...ids], []];
}

function compressed({ prng, scenario }: Simulation, life: Life): EventBody {
  const tokens = prng.int(0, life.state.budget?.context_tokens ?? 0);
  const lost = prng.chance(scenario.temper.plannerLie / 4) ? ['goal_and_criteria'] : [];
  return { type: 'context_compressed', lost, tokens, pointer: life.state.work.sealed.root };
}

/** Calls back what is on its way. It may be finished all the same, but it has nothing to say a second time. */
function recall(sim: Simulation, life: Life): void {
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
