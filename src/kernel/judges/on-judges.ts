import type { EventOf } from '../../model/event.ts';
import { settle } from '../budget.ts';
import { raise } from '../closing.ts';
import { land } from '../flight.ts';
import { impossible, NOTHING, type Reacts } from '../reaction.ts';
import type { RunState } from '../state.ts';
import type { Panel } from './panel.ts';
import { panelNeed } from './panels.ts';

/** The judges have spoken. What they said is kept as it came and paid for; what it means is for the Critic. */
export const onJudgesAnswered: Reacts<'judges_answered'> = (env, state, event) => {
  const landed = land(state, 'judges');
  const { panel, budget } = landed;
  if (panel === null || budget === null) throw impossible('an answer of judges that nobody asked', state);
  assertAsked(state, panel, event);
  const { input_tokens, output_tokens, microusd: cost_microusd } = event.spent;
  const actual = { input_tokens, output_tokens, cost_microusd };
  const settled = settle(budget, panelNeed(env, panel), actual, 'critic');
  const heard: RunState = { ...landed, budget: settled.budget, panel: { ...panel, answers: event.answers } };
  if (settled.overrun !== null) {
    const detail = { dimension: settled.overrun };
    return [raise(heard, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail }), NOTHING];
  }
  if (heard.ending.stops.length > 0) return [heard, NOTHING];
  const { about } = panel;
  return [heard, [about === null ? { kind: 'judge_run' } : { kind: 'judge_step', step_id: about }]];
};

/** Each of those who were asked, once, and nobody else: a journal cannot bring judges of its own. */
function assertAsked(state: RunState, { about, asked, safer }: Panel, event: EventOf<'judges_answered'>): void {
  if (event.about !== about || (event.safer === true) !== safer) throw impossible('judges of something else', state);
  const heard = event.answers.map(({ judge }) => judge);
  const expected = asked.map(({ judge }) => judge);
  if (heard.length !== expected.length || expected.some((judge, place) => heard[place] !== judge)) {
    throw impossible(`answers of ${heard.join(', ')} where ${expected.join(', ')} were asked`, state);
  }
}
