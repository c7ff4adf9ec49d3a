import type { Effect } from '../model/effect.ts';
import type { Finding } from '../model/finding.ts';
import { atLeast } from '../model/risk.ts';
import { remaining } from './budget-view.ts';
import { renderVerdict } from './checkpointing.ts';
import { type Attempts, decide, NO_ATTEMPTS } from './decide.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import { graveFinding } from './grave-findings.ts';
import { secondOpinion } from './judges/ask-judges.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { askNext } from './reactive/ask-next.ts';
import { isReactive, routeOf } from './reactive/route-of.ts';
import { replan } from './replan.ts';
import { directAnswer } from './required-reasoning.ts';
import type { RunState } from './state.ts';
import { premature } from './violation.ts';
import { canWalk, standsOn, walk } from './walk.ts';

/**
 * Every step of the plan is settled and the run as a whole has been scored. Whether it is finished is a question of
 * the goal's criteria, never of anybody's word.
 */
export const onRunJudged: Reacts<'run_judged'> = (env, state, event) => {
  if (!standsOn(env, state, 'completion_check') || state.current !== null)
    throw impossible('a judgement nobody asked for', state);
  const scored: RunState = { ...state, ending: { ...state.ending, runScores: event.scores } };
  const grave = graveFinding(env, scored, event.findings, null);
  if (grave !== null) return grave;
  const second = state.panel === null ? null : secondOpinion(env, state, event.scores);
  if (second !== null) return second;
  const conflicts = event.findings.filter(({ kind, severity }) => kind === 'source_conflict' && severity === 'high');
  if (conflicts.length > 0) return contradicted(env, scored, conflicts);
  const secondary = secondaryOf(state);
  const unmet = event.unmet.filter((id) => !secondary.has(id));
  if (unmet.length > 0) return incomplete(env, scored, event.unmet);
  const decision = decide({
    scores: event.scores,
    rubric: env.rubric,
    failure: null,
    retryable: false,
    left: attemptsLeft(scored),
    exhausted: null,
    riskHigh: atLeast(state.intake.risk, 'high'),
    wanted: event.verdict,
  });
  if (decision.verdict === 'accept') {
    const unresolved = [...new Set([...state.work.unresolved, ...event.unmet])];
    const met: RunState = {
      ...scored,
      work: { ...scored.work, unresolved },
      ending: { ...scored.ending, criteriaMet: true },
    };
    const [judged, checkpoint] = renderVerdict(env, met, 'accept', null);
    return [walk(env, judged, 'finalize'), [...checkpoint, { kind: 'compile_response' }]];
  }
  const { code, detail } = decision.reason;
  if (decision.verdict === 'escalate') {
    return escalateRun(env, scored, 'low_confidence', { code: 'LOW_CONFIDENCE', reason: code, detail });
  }
  const reason = { code, step_id: null, message: 'the run as a whole scored too low', detail };
  const [judged, checkpoint] = renderVerdict(env, scored, 'replan', null);
  const [next, effects] = replan(env, judged, { reason, trigger: 'low_confidence', code: 'LOW_CONFIDENCE' });
  return [next, [...checkpoint, ...effects]];
};

/** The cross-check was the step's own; whatever is open in the end is for whoever can say which source is right. */
function contradicted(env: KernelEnv, state: RunState, conflicts: readonly Finding[]): Reaction {
  const evidence = [...new Set(conflicts.flatMap(({ refs = [] }) => refs))];
  const message = conflicts.map(({ detail }) => detail).join('; ');
  const stop = { code: 'SOURCE_CONFLICT', reason: 'source_conflict', detail: { evidence, message } } as const;
  return escalateRun(env, state, 'source_conflict', stop, evidence);
}

/** Secondary criteria are told about at the end; no run goes on for their sake. */
const secondaryOf = ({ intake }: RunState): ReadonlySet<string> =>
  new Set(intake.goal?.acceptance_criteria.filter(({ rank }) => rank === 'secondary').map(({ id }) => id));

/** A run that plans one step at a time simply takes the next one; a run with a whole plan has to plan again. */
function incomplete(
  env: Parameters<typeof replan>[0],
  state: RunState,
  unmet: readonly string[],
): ReturnType<typeof replan> {
  const message = `the plan is done and these criteria are not met: ${unmet.join(', ')}`;
  const reason = { code: 'criteria_unmet', step_id: null, message, detail: { unmet } };
  if (canWalk(env, state, 'plan') && takesNext(env, state)) return askNext(env, state, reason);
  const [judged, checkpoint] = renderVerdict(env, state, 'replan', null);
  const [next, effects] = replan(env, judged, { reason, trigger: 'validation_failed', code: 'VALIDATION_FAIL' });
  return [next, [...saidDone(env, state, unmet), ...checkpoint, ...effects]];
}

/** An answer to the user says that the work is done. Where it is not, that is on record, and the run does not end by it. */
function saidDone(env: KernelEnv, state: RunState, unmet: readonly string[]): readonly Effect[] {
  const said = responded(env, state) || directAnswer(state) !== null;
  return said ? [premature('SUCCESS', `these criteria are not met: ${unmet.join(', ')}`)] : NOTHING;
}

function responded(env: KernelEnv, { planning }: RunState): boolean {
  const last = planning.active?.plan.steps.at(-1);
  return last !== undefined && env.tools.get(last.tool)?.speaks === 'respond';
}

/** Whoever has answered meant to be done, with tools or without. That is mended under the re-plan budget, as in every mode. */
function takesNext(env: KernelEnv, state: RunState): boolean {
  if (!isReactive(env)) return false;
  const { to } = routeOf(env, state);
  return to === 'error' || (to !== 'direct_chat' && !responded(env, state));
}

function attemptsLeft(state: RunState): Attempts {
  if (state.budget === null) return NO_ATTEMPTS;
  const left = remaining(state.budget);
  return { retries: 0, replans: left.replan_attempts, reflections: left.reflection_passes };
}
