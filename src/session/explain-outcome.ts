import {
  doneSteps,
  gateProgress,
  type RunState,
  stopIfUnanswered,
  type ToolTable,
  vecToArray,
} from '../kernel/index.ts';
import { capOption } from '../model/budget/budget-profile.ts';
import { CAPPED_DIMENSIONS } from '../model/budget/dimensions.ts';
import type { DecisionRecord } from '../model/critic/decision-record.ts';
import { greetingIn } from '../model/events/answer-text.ts';
import { isSuccess, TERMINAL_CODE_TABLE, type TerminalCode } from '../model/fault/terminal-code.ts';
import { compareModes } from '../model/gate/approval-mode.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../model/json/json.ts';
import { type AgentSpec, scopesOf } from '../model/run/agent.ts';
import { offerOf } from '../model/text/courtesy.ts';
import { describeRule } from '../model/text/rule-texts.ts';
import type { EffectOutcome } from '../model/tool/effect-outcome.ts';
import type { ToolSpec } from '../model/tool/tool.ts';

/** An agent and its tools, to explain a missing capability. */
export interface AgentCapabilities {
  readonly agent: AgentSpec;
  readonly tools: ToolTable;
}

const NOTHING: readonly string[] = Object.freeze([]);

/** Explains in sentences why a run waits or ended; empty if its code and reason suffice. */
export function whyOf(state: RunState, known?: AgentCapabilities): readonly string[] {
  const { terminal } = state.ending;
  const stop = terminal ?? stopIfUnanswered(state);
  if (stop === null || stop.code === 'SUCCESS') return NOTHING;
  const { reason, detail = {} } = stop;
  const lines = [
    ...sentences(detail),
    ...explainDecision(reason, detail),
    ...explainReason(reason, detail),
    ...explainUntrusted(state, reason),
    ...explainLoop(state, reason, detail),
    ...explainNoTool(state, reason, known),
    ...explainUnresolved(state, reason, detail),
    ...uncertainCalls(state),
  ];
  if (known === undefined) return lines;
  if (reason === 'capability_missing') return [...lines, ...explainMissing(state, known, textIn(detail, 'evidence'))];
  return [...lines, ...explainDenied(state, known, detail)];
}

/** Calls that were in flight when the run ended and whose effect is unknown. */
function uncertainCalls(state: RunState): readonly string[] {
  const unknown = state.ending.rollback?.settled.filter((effect) => isUncertain(state, effect));
  return (unknown ?? []).map(
    ({ tool, step_id, call_id }) =>
      `${tool} (step ${step_id}, ${call_id}) was cancelled after it had been sent and may have taken effect: check its target`,
  );
}

/** Whether the effect of the call itself is in doubt. For a call that had its effect, only the compensation can be. */
const isUncertain = ({ work }: RunState, { call_id, outcome, reason }: EffectOutcome): boolean =>
  outcome === 'unknown' &&
  reason === 'call_in_doubt' &&
  vecToArray(work.effects).every(({ callId }) => callId !== call_id);

/** The messages of the kernel, the gateway and the Critic in the details of a stop. */
function sentences(detail: JsonObject): readonly string[] {
  const { dimension, needed, left, rule } = detail;
  const found = [
    ...problemsIn(detail).map(explainProblem),
    ...listIn(detail, 'findings').map((finding) => (typeof finding === 'string' ? finding : '')),
    textIn(detail, 'message'),
    textIn(detail, 'blocker'),
    typeof rule === 'string' ? `the rule ${rule} refused this goal` : '',
    typeof needed === 'number'
      ? `${String(dimension)}: the run needs ${needed} and has ${String(left)} left${nameCap(dimension)}`
      : '',
  ];
  return [...new Set(found)].filter((text) => text !== '');
}

const explainProblem = (problem: JsonObject): string => {
  const { detail = null } = problem;
  const dimension =
    textIn(problem, 'code') === 'budget_projection_exceeded' && isJsonObject(detail) ? detail['dimension'] : null;
  return `${textIn(problem, 'message')}${nameCap(dimension)}`;
};

/** The option of the agent that sets the cap of a dimension, such as `sideEffectsMax`. Empty without a dimension. */
const nameCap = (dimension: Json | undefined): string =>
  CAPPED_DIMENSIONS.some((capped) => capped === dimension)
    ? `; the cap is budget: { ${capOption(`${String(dimension)}_max`)} } of the agent`
    : '';

/** The person who rejected or cancelled the run, with their reason, or the rules that its message breaks. */
function explainDecision(reason: string, detail: JsonObject): readonly string[] {
  const because = textIn(detail, 'reason') === '' ? '' : `: ${textIn(detail, 'reason')}`;
  if (reason === 'approval_rejected') return [`${textIn(detail, 'approver')} rejected it${because}`];
  if (reason === 'cancelled') return [`${textIn(detail, 'by')} cancelled it${because}`];
  return listIn(detail, 'rules').map((rule) => describeRule(String(rule)));
}

/** Sentences for reasons whose detail contains only numbers and names. */
function explainReason(reason: string, detail: JsonObject): readonly string[] {
  const { steps, graph, dimension, tokens } = detail;
  if (reason === 'plan_too_large' && typeof graph === 'string') {
    return [`this plan has ${String(steps)} steps, more than the graph ${graph} allows`];
  }
  if (reason === 'goal_unparseable') return ['the goal contains no letters or digits: describe the task in words'];
  if (reason === 'call_in_doubt') return explainUncertainCall(detail);
  if (reason === 'provider_overrun')
    return [`a provider used more ${String(dimension)} than the budget of the run allows`];
  if (reason !== 'compression_unsafe') return NOTHING;
  const lost = listIn(detail, 'lost').map(String).join(', ');
  return [
    lost === '' ? `the context still has ${String(tokens)} tokens after compression` : `the compression lost: ${lost}`,
  ];
}

/** Names the tools whose untrusted results a model could read in a run whose call was refused for them. */
function explainUntrusted(state: RunState, reason: string): readonly string[] {
  if (reason !== 'untrusted_argument' || !state.planning.tainted) return NOTHING;
  const sources = new Set(doneSteps(state).flatMap(({ fact }) => (fact.trusted ? [] : [fact.source])));
  return sources.size === 0 ? NOTHING : [`the untrusted results in this run come from ${listed([...sources])}`];
}

/** Tells the person who investigates an uncertain call what to look for, and from when on the answer is certain. */
function explainUncertainCall({ tool, step_id, call_id, idempotency_key, settled_by }: JsonObject): readonly string[] {
  if (typeof tool !== 'string' || typeof idempotency_key !== 'string' || typeof settled_by !== 'number') return NOTHING;
  const over = new Date(settled_by).toISOString();
  return [
    `${tool} (step ${String(step_id)}, ${String(call_id)}) returned no result and may have taken effect: check its target for the key ${idempotency_key}`,
    `from ${over} on the call can no longer arrive: then report its result, repeat the call, or end the run`,
  ];
}

/** Names the work that a partial success left undone: failed steps, steps that were not called, and unmet criteria. */
function explainUnresolved(state: RunState, reason: string, detail: JsonObject): readonly string[] {
  if (reason !== 'secondary_unresolved') return NOTHING;
  const criteria = new Map(state.intake.goal?.acceptance_criteria.map(({ id, statement }) => [id, statement]));
  const failures = failuresOf(state);
  const progress = vecToArray(state.work.progress);
  const steps = new Map(
    state.planning.active?.plan.steps.map(({ id, tool }, index) => [
      id,
      progress[index]?.status === 'failed' ? `${tool} failed` : `${tool} was not called`,
    ]),
  );
  return listIn(detail, 'unresolved').map((entry) => {
    const id = String(entry);
    const cause = failures.get(id) ?? steps.get(id);
    return cause === undefined ? `not met: ${criteria.get(id) ?? id}` : `step ${id} is not done: ${cause}`;
  });
}

/** The message of each failed step that the state still knows. */
function failuresOf({ planning, react }: RunState): ReadonlyMap<string, string> {
  const { reason } = planning;
  const observed = vecToArray(react.messages).flatMap((message) =>
    message.kind === 'observation' && message.outcome !== 'ok' ? [[message.step_id, message.detail] as const] : [],
  );
  return new Map(reason?.step_id == null ? observed : [...observed, [reason.step_id, reason.message]]);
}

/** Names the limit on calls per minute, or the repeated action and the last reason that the planner was given. */
function explainLoop({ planning }: RunState, reason: string, detail: JsonObject): readonly string[] {
  if (reason !== 'loop_detected') return NOTHING;
  const { kind, tool, count, limit } = detail;
  if (kind === 'tool_spam') {
    const made = `the run made ${String(count)} tool calls within a minute`;
    return [`${made}; the limit is ${String(limit)}: limits.callsPerMinuteMax of ambit()`];
  }
  const what = typeof tool === 'string' ? `${String(kind)} of ${tool}` : String(kind);
  const round = `the run repeats itself: ${what} occurred ${String(count)} times; the limit is ${String(limit)}`;
  return planning.reason === null ? [round] : [round, planning.reason.message];
}

/** Names the tools of the run, or says that the message fits no intent. Leaves out the words of the model. */
function explainNoTool(
  { planning, intake }: RunState,
  reason: string,
  known: AgentCapabilities | undefined,
): readonly string[] {
  if (reason !== 'no_tool_for_request') return NOTHING;
  if (planning.active === null) return ['no intent of the agent covers what the message asks'];
  const sentence = 'no tool of the run does what the message asks';
  const names = known?.tools.specs
    .filter(({ name, active, speaks }) => active && speaks === undefined && intake.token?.allowed_tools.includes(name))
    .map(({ name }) => name);
  if (names === undefined) return [sentence];
  return [names.length === 0 ? `${sentence}: it has no tools` : `${sentence}; its tools are ${listed(names)}`];
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** The tools that produce the missing evidence, each with the reason why this identity cannot use it. */
function explainMissing(state: RunState, { agent, tools }: AgentCapabilities, evidence: string): readonly string[] {
  return tools.specs
    .filter(({ produces }) => produces.includes(evidence))
    .map((spec) => `${spec.name} produces it but ${obstacle(state, agent, spec)}`);
}

/** The tools that a plan may not use, each with the reason. */
function explainDenied(state: RunState, { agent, tools }: AgentCapabilities, detail: JsonObject): readonly string[] {
  const denied = new Set(problemsIn(detail).filter(isDenial).map(toolOf));
  return tools.specs
    .filter(({ name }) => denied.has(name))
    .map((spec) => `${spec.name} ${obstacle(state, agent, spec)}`);
}

const toolOf = ({ detail = null }: JsonObject): string => (isJsonObject(detail) ? textIn(detail, 'tool') : '');

/** The reason why an identity cannot use a tool, with the option that would permit it. */
function obstacle(state: RunState, { boundary, access }: AgentSpec, spec: ToolSpec): string {
  const { name, active, approval_mode } = spec;
  const authority = state.intake.token?.approval_authority ?? 'read_only';
  if (!active) return 'is inactive';
  if (!boundary.tools.allowed.includes(name)) return 'is not in the boundary: add it to tools.allowed of the boundary';
  if (compareModes(approval_mode, authority) > 0) {
    return `is ${approval_mode}; the roles of the identity allow at most ${authority}: give a role ${approval_mode} in settings.roles of the agent, and that role to the user in user.roles`;
  }
  const scopes = scopesOf(access, name).join(' and ');
  return `needs the scope ${scopes}, which the identity does not have: add it to the scopes of the identity`;
}

/** The problems of a refused plan, one for each step whose tool the run may not use at all. */
function problemsIn(detail: JsonObject): readonly JsonObject[] {
  const problems = listIn(detail, 'problems').filter(isJsonObject);
  const denied = new Set(problems.filter(isDenial).map((problem) => textIn(problem, 'step_id')));
  return problems.filter(
    (problem) => !FOLLOWING_DENIAL.has(textIn(problem, 'code')) || !denied.has(textIn(problem, 'step_id')),
  );
}

const isDenial = (problem: JsonObject): boolean => problem['code'] === 'tool_not_allowed';

/** Problems that follow from a denied tool, because a plan can name no gate of it. */
const FOLLOWING_DENIAL: ReadonlySet<string> = new Set(['approval_missing', 'approval_authority_exceeded']);

const listIn = (detail: JsonObject, name: string): readonly Json[] => {
  const list = own(detail, name);
  return isJsonList(list ?? null) ? (list as readonly Json[]) : [];
};

const textIn = (detail: JsonObject, name: string): string => {
  const text = own(detail, name);
  return typeof text === 'string' ? text : '';
};

/** Names the undecided gates of each call that has several, and the people who approved the others. */
export function whyWaiting({ people, ending }: RunState): readonly string[] {
  if (ending.terminal !== null) return NOTHING;
  return people.gates.flatMap((open) => {
    if (open.gates.length < 2) return [];
    const progress = gateProgress(open);
    const waiting = progress.flatMap(({ name, decided_by }) => (decided_by === null ? [name] : []));
    const approved = progress.flatMap(({ name, decided_by }) =>
      decided_by === null ? [] : [`${decided_by} approved ${name}`],
    );
    const call = `${open.tools.at(-1) ?? open.kind} (step ${open.stepId})`;
    return [[`${call} waits for ${listed(waiting)}`, ...approved].join('; ')];
  });
}

/** Why a session is paused, and what resumes it; empty for a session that is not paused or was handed over. */
export function whyPaused({ session, ending }: RunState, reason: string | null): readonly string[] {
  const { status, pause } = session;
  if (ending.terminal !== null || status !== 'paused' || pause === null) return NOTHING;
  const { cause, by, resumesAt } = pause;
  if (cause === 'heartbeat_lost') return [`the session missed two heartbeats; ${OPERATOR}`];
  if (cause !== 'operator') return NOTHING;
  const because = reason === null ? ' without a reason' : ` (${JSON.stringify(reason)})`;
  return resumesAt === undefined
    ? [`${by} paused the session${because}; ${OPERATOR}`]
    : [`${by} interrupted the session${because}; the next process that serves sessions resumes it`];
}

const OPERATOR = 'an operator can resume it';

/** Endings after which the person who asked is told what the agent can do instead. */
const OFFERING: ReadonlySet<TerminalCode> = new Set<TerminalCode>(['IMPOSSIBLE', 'AMBIGUOUS_INTENT']);

/** Texts for reasons that say more than their code. */
const REASON_TEXTS: ReadonlyMap<string, string> = new Map([
  ['approval_rejected', 'I stopped, because this was not approved.'],
  ['no_tool_for_request', 'I cannot do this: I have no tool for it.'],
  ['goal_missing', 'Your message is empty. Please say what you need.'],
]);

/** The text of a run for the person who asked: its answer, or how it ended. Null while the run goes on. */
export function endingText({ ending, intake, work }: RunState, agent: AgentSpec | undefined): string | null {
  const { terminal, response } = ending;
  if (terminal === null) return null;
  const answer = response?.text ?? greetingIn(terminal) ?? '';
  if (answer !== '') return answer;
  const { code, reason, detail } = terminal;
  const blocked = intake.goal?.acceptance_criteria.find(({ id }) => id === detail?.['criterion']);
  const parts = [
    REASON_TEXTS.get(reason) ?? TERMINAL_CODE_TABLE[code].user_text,
    reason === 'capability_missing' && blocked !== undefined
      ? `I have no means for this: ${withoutPeriod(blocked.statement)}.`
      : '',
    !isSuccess(code) && work.effects.size > 0 ? 'Some steps had been carried out before that.' : '',
    OFFERING.has(code) && agent !== undefined ? offerOf(agent.intents) : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

const withoutPeriod = (statement: string): string => statement.trim().replace(/(?<!\.)\.+$/u, '');

/** Names the effects of an ended run that stand or may stand, each with the reason. */
export function standingEffects(state: RunState, record: DecisionRecord | null): readonly string[] {
  return (record?.effects ?? []).flatMap((effect) => {
    const { tool, step_id, call_id, outcome } = effect;
    // A call without an answer has a sentence of its own.
    if (outcome === 'rolled_back' || isUncertain(state, effect)) return [];
    const word = outcome === 'stands' ? 'stands' : 'may stand';
    return [`the effect of ${tool} (step ${step_id}, ${call_id}) ${word}: ${explainEffect(effect)}`];
  });
}

function explainEffect({ compensation, outcome, reason }: EffectOutcome): string {
  if (outcome === 'unknown') {
    return compensation === null
      ? `its answer is not valid (${reason})`
      : `whether ${compensation} has undone it is unknown (${reason})`;
  }
  const known = EFFECT_REASONS[reason];
  if (known !== undefined) return known(compensation ?? '');
  return `${compensation ?? 'its compensation'} did not undo it (${reason})`;
}

/** Sentences for the reasons of the kernel. Any other reason is the code of a refusal or of a failure. */
const EFFECT_REASONS: Readonly<Partial<Record<string, (compensation: string) => string>>> = {
  no_compensation: () => 'the tool declares no compensation',
  not_taken_back: (compensation) => `a run that ends this way does not call ${compensation}`,
  made_by_parent: () => 'the run that this one was forked from made the call, and only that run undoes it',
  arguments_unknown: (compensation) => `the arguments of ${compensation} could not be built from the result`,
  approval_rejected: (compensation) => `a person rejected ${compensation}, which undoes it`,
  gate_expired: (compensation) => `no person decided in time about ${compensation}, which undoes it`,
};
