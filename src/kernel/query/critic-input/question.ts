import type { QuestionCase } from '../../../model/critic/judged-case.ts';
import { placesIn } from '../../../model/json/sealed.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import { remaining } from '../../budget/view.ts';
import type { KernelEnv } from '../../env.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import { vecToArray } from '../../state/vec.ts';
import { checkCompletion, endsByAnswer } from '../plan/completion.ts';
import { isReactive } from '../plan/reactive-route.ts';
import { directAnswer, directReply } from '../plan/reasoning.ts';
import { doneSteps } from '../plan/steps.ts';

const NONE: readonly never[] = Object.freeze([]);

/**
 * The question of a reactive run without declared criteria whose model proposes the end. Null if the end is not
 * proposed, if the run cannot take another step, and in runs from before this rule.
 */
export function questionCase(env: KernelEnv, state: RunState): QuestionCase | null {
  if (!hasRule(state, 'parts_answered') || !isReactive(env) || !endsByAnswer(state)) return null;
  if (state.planning.author === 'host' || (directAnswer(state) ?? directReply(state)) !== null) return null;
  if (!hasStepsLeft(env, state) || !checkCompletion(env, state).permitted) return null;
  const names = calledTools(state);
  const allowed = new Set(state.intake.token?.allowed_tools);
  const setAside = new Set(state.planning.setAside);
  const tools = env.tools.specs.filter(({ speaks }) => speaks === undefined);
  return {
    request: state.intake.goal?.statement ?? '',
    facts: doneSteps(state).map(({ fact: { source: tool, value } }) => ({
      tool,
      value,
      hidden: placesIn(value, env.tools.get(tool)?.privacy?.seals ?? []),
    })),
    called: tools.filter(({ name }) => names.has(name)),
    uncalled: tools.filter(
      (tool) => onlyReads(tool) && allowed.has(tool.name) && !names.has(tool.name) && !setAside.has(tool.name),
    ),
    pointedOut: state.ending.pointedOut ?? NONE,
  };
}

const onlyReads = ({ active, approval_mode, unwrap }: ToolSpec): boolean =>
  active && approval_mode === 'read_only' && unwrap === undefined;

/** The tools that were called, with or without success. */
function calledTools(state: RunState): ReadonlySet<string> {
  const observed = vecToArray(state.react.messages).flatMap((message) =>
    message.kind === 'observation' ? [message.tool] : [],
  );
  return new Set([...doneSteps(state).map(({ step }) => step.tool), ...observed]);
}

/** Whether the run can still decide, take and end with another step. Otherwise a refused end would end in failure. */
function hasStepsLeft({ limits }: KernelEnv, { budget, react }: RunState): boolean {
  if (budget === null || limits.reactStepsMax - react.stepCount < STEPS_NEEDED) return false;
  const left = remaining(budget);
  const { input_tokens, output_tokens, microusd } = limits.plannerCost;
  return (
    Math.min(left.steps, left.tool_calls) >= STEPS_NEEDED &&
    left.input_tokens >= STEPS_NEEDED * input_tokens &&
    left.output_tokens >= STEPS_NEEDED * output_tokens &&
    left.cost_microusd >= STEPS_NEEDED * microusd
  );
}

/** A look-up, and `respond` after it. */
const STEPS_NEEDED = 2;
