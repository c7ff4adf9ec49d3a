import type { PlanAuthor } from '../../../model/events/plan-events.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import type { ReactMessage } from '../../../model/plan/react-message.ts';
import { toWire } from '../../budget/view.ts';
import type { KernelEnv } from '../../env.ts';
import { elapsedMs } from '../../state/lifecycle.ts';
import type { RunState } from '../../state/run-state.ts';
import { shownHistory } from '../critic-input/active-context.ts';
import { declaredOutput } from '../evidence/bind-output.ts';
import { mayDraft } from './drafts.ts';
import { mayReply, plansFrom, reasoningOf } from './reasoning.ts';
import { doneSteps } from './steps.ts';

/** The part of a run's state that its planner sees. */
interface PlannerView {
  /** The author whose plans the graph admits. */
  readonly from: PlanAuthor;
  /** The remaining budget, by dimension. */
  readonly budget: Readonly<Record<string, number>>;
  readonly done: readonly {
    readonly step: PlanStep;
    readonly evidenceId: string;
    readonly value: Json;
    readonly trusted: boolean;
  }[];
  /** Notes of operators, oldest first. They are not evidence. */
  readonly notes?: readonly { readonly by: string; readonly text: string }[];
  readonly mayDraft?: true;
  readonly output?: JsonObject;
  readonly mayAnswer: boolean;
  readonly mayReply?: true;
  readonly mayRefuse?: true;
  readonly history: readonly ReactMessage[];
}

export function plannerView(env: KernelEnv, state: RunState): PlannerView {
  const { budget, people } = state;
  const output = declaredOutput(env, state);
  const mayAnswer = reasoningOf(state).needed === 'direct';
  const notes = people.notes?.map(({ by, text }) => ({ by, text })) ?? [];
  return {
    ...(notes.length === 0 ? {} : { notes }),
    from: plansFrom(env),
    budget: budget === null ? {} : toWire(budget, elapsedMs(state)).remaining,
    done: doneSteps(state).map(({ step, fact: { evidenceId, value, trusted } }) => ({
      step,
      evidenceId,
      value,
      trusted,
    })),
    ...(mayDraft(env, state) ? { mayDraft: true } : {}),
    ...(output === null ? {} : { output: output.schema }),
    mayAnswer,
    ...(mayAnswer ? {} : replyRights(env, state)),
    history: shownHistory(state),
  };
}

/** The replies that the next plan may be: any, or only that an action is impossible. */
function replyRights(env: KernelEnv, state: RunState): Pick<PlannerView, 'mayReply' | 'mayRefuse'> {
  if (mayReply(env, state, 'answer')) return { mayReply: true };
  return mayReply(env, state, 'impossible') ? { mayRefuse: true } : {};
}
