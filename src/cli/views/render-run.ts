import type { Plan } from '../../index.ts';
import type { RunEvent } from '../../records.ts';
import { escapeText } from '../terminal/escape.ts';
import type { Paint, Tone } from '../terminal/terminal.ts';
import { formatDuration } from './format.ts';

type GateOpened = Extract<RunEvent, { type: 'gate_opened' }>;

const namesOf = ({ name, gates }: GateOpened): string => gates?.map((gate) => gate.name).join(', ') ?? name;

const MARKS: Readonly<Record<StepState, readonly [mark: string, tone: Tone]>> = {
  planned: ['·', 'quiet'],
  cleared: ['○', 'quiet'],
  waiting: ['▲', 'warning'],
  running: ['►', 'accent'],
  observed: ['◐', 'accent'],
  committed: ['✓', 'good'],
  failed: ['✗', 'bad'],
  refused: ['✗', 'bad'],
};

/** Renders a run: its goal, the state of each step and the used budget. */
export function renderRun(view: RunView, paint: Paint): readonly string[] {
  const { goal, phase, startedAt, now, steps, gauges, ended, waitsSince, waitedMs } = view;
  const activeMs = (waitsSince ?? now) - startedAt - waitedMs;
  const state = ended === null ? paint('accent', phase) : escapeText(ended);
  return [
    `${paint('strong', escapeText(goal))}  ${state}  ${paint('quiet', formatDuration(now - startedAt))}`,
    ...steps.map((step) => renderStep(step, Math.max(...steps.map(({ id }) => id.length)), paint)),
    ...(gauges.length === 0
      ? []
      : [`  ${gauges.map((gauge) => renderGauge(updateSeconds(gauge, activeMs), paint)).join('   ')}`]),
  ];
}

function renderStep({ id, tool, state, detail }: StepView, width: number, paint: Paint): string {
  const [mark, tone] = MARKS[state];
  const suffix = detail === '' ? '' : paint(tone, `  ${escapeText(detail)}`);
  return `  ${paint(tone, mark)} ${paint('quiet', escapeText(id).padEnd(width))}  ${escapeText(tool)}${suffix}`;
}

const updateSeconds = (gauge: Gauge, ms: number): Gauge =>
  gauge.name === 'seconds' ? { ...gauge, used: Math.floor(ms / 1000) } : gauge;

const CELLS = 10;

function renderGauge({ name, used, max }: Gauge, paint: Paint): string {
  const share = max === 0 ? 0 : Math.min(1, used / max);
  const full = Math.ceil(share * CELLS);
  const bar = `${'█'.repeat(full)}${'░'.repeat(CELLS - full)}`;
  return `${paint('quiet', name)} ${paint(share >= 0.8 ? 'warning' : 'good', bar)} ${used}/${max}`;
}

export type StepState = 'planned' | 'cleared' | 'waiting' | 'running' | 'observed' | 'committed' | 'failed' | 'refused';

export interface StepView {
  readonly id: string;
  readonly tool: string;
  readonly state: StepState;
  readonly detail: string;
}

export interface Gauge {
  readonly name: string;
  readonly used: number;
  readonly max: number;
}

/** A run as the terminal draws it, folded from its events. */
export interface RunView {
  readonly goal: string;
  readonly startedAt: number;
  readonly now: number;
  readonly phase: string;
  readonly steps: readonly StepView[];
  readonly gauges: readonly Gauge[];
  /** Tokens of models that ran before the caps were known, such as the classifier of intents. */
  readonly earlyTokens: number;
  /** Start of the current wait for people. Waiting does not count as time of the run. */
  readonly waitsSince: number | null;
  readonly waitedMs: number;
  readonly ended: string | null;
  /** Step ids by call id. */
  readonly calls: Readonly<Record<string, string>>;
}

export const EMPTY_RUN_VIEW: RunView = Object.freeze({
  goal: '',
  startedAt: 0,
  now: 0,
  phase: 'requested',
  steps: [],
  gauges: [],
  earlyTokens: 0,
  waitsSince: null,
  waitedMs: 0,
  ended: null,
  calls: {},
});

export function applyEvent(view: RunView, event: RunEvent): RunView {
  const waited = updateWait({ ...view, now: event.at, phase: PHASES[event.type] ?? view.phase }, event);
  const tokens = countTokens(event);
  const seen = { ...addUse(waited, 'tokens', tokens), earlyTokens: waited.earlyTokens + tokens };
  switch (event.type) {
    case 'goal_received':
      return { ...seen, goal: event.goal.statement, startedAt: event.at };
    case 'run_initialized':
      return { ...seen, gauges: createGauges(event.caps, seen.earlyTokens) };
    case 'plan_proposed':
      return setPlan(seen, event.proposal as Partial<Plan> | null);
    case 'plan_verified':
      return event.plan === undefined ? seen : setPlan(seen, event.plan);
    case 'step_cleared':
      return setStep(seen, event.step_id, 'cleared');
    case 'step_refused':
      return setStep(seen, event.step_id, 'refused', `${event.code} at ${event.layer}`);
    case 'step_attempted':
      // A step counts once, however often its call is tried.
      return addUse(addUse(applyAttempt(seen, event), 'tool calls', 1), 'steps', event.attempt === 1 ? 1 : 0);
    case 'step_observed':
      return applyObservation(seen, event);
    case 'step_verified':
      return event.ok ? seen : setStep(seen, seen.calls[event.call_id], 'failed', 'not verified');
    case 'step_committed':
      return setStep(seen, seen.calls[event.call_id], 'committed');
    case 'gate_opened':
      return setStep(seen, event.step_id ?? undefined, 'waiting', namesOf(event));
    case 'run_terminated':
      return { ...seen, ended: `${event.code} (${event.reason})` };
    default:
      return seen;
  }
}

/** The phase of the run after an event of this type. */
const PHASES: Readonly<Partial<Record<RunEvent['type'], string>>> = {
  goal_received: 'received',
  run_initialized: 'planning',
  plan_proposed: 'verifying the plan',
  plan_verified: 'working',
  gate_opened: 'waiting for a person',
  gate_decided: 'working',
  question_asked: 'waiting for an answer',
  run_escalated: 'escalated',
  run_paused: 'paused',
  run_resumed: 'working',
  run_judged: 'judged',
  run_terminated: 'ended',
};

const STARTS_WAIT: ReadonlySet<string> = new Set(['gate_opened', 'question_asked', 'run_escalated', 'run_paused']);

/** Any other event ends the wait. */
const KEEPS_WAITING: ReadonlySet<string> = new Set([...STARTS_WAIT, 'decision_refused']);

function updateWait(view: RunView, { type, at }: RunEvent): RunView {
  if (view.waitsSince === null) return STARTS_WAIT.has(type) ? { ...view, waitsSince: at } : view;
  if (KEEPS_WAITING.has(type)) return view;
  return { ...view, waitsSince: null, waitedMs: view.waitedMs + at - view.waitsSince };
}

type Caps = Extract<RunEvent, { readonly type: 'run_initialized' }>['caps'];

function createGauges(caps: Caps, tokens: number): readonly Gauge[] {
  return [
    { name: 'tool calls', used: 0, max: caps.tool_calls_max },
    { name: 'steps', used: 0, max: caps.steps_max },
    { name: 'tokens', used: tokens, max: caps.input_tokens_max + caps.output_tokens_max },
    { name: 'seconds', used: 0, max: caps.wall_clock_seconds_max },
  ];
}

const addUse = (view: RunView, name: string, by: number): RunView => ({
  ...view,
  gauges: view.gauges.map((gauge) => (gauge.name === name ? { ...gauge, used: gauge.used + by } : gauge)),
});

/** Counts the tokens of an event: of the planner, the tools, the judges and every other model. */
function countTokens(event: RunEvent): number {
  // The run has stopped waiting for a late answer, and its budget does not count it.
  if (!('spent' in event) || event.spent === undefined || event.type === 'answer_came_late') return 0;
  return event.spent.input_tokens + event.spent.output_tokens;
}

function setPlan(view: RunView, plan: Partial<Plan> | null): RunView {
  if (!Array.isArray(plan?.steps)) return view;
  const before = new Map(view.steps.map((known) => [known.id, known]));
  const steps = plan.steps.map(
    ({ id, tool }) =>
      before.get(String(id)) ?? { id: String(id), tool: String(tool), state: 'planned' as const, detail: '' },
  );
  return { ...view, steps };
}

function applyAttempt(
  view: RunView,
  { call_id, step_id, tool, attempt }: Extract<RunEvent, { readonly type: 'step_attempted' }>,
): RunView {
  const isKnown = view.steps.some(({ id }) => id === step_id);
  const steps = isKnown ? view.steps : [...view.steps, { id: step_id, tool, state: 'planned' as const, detail: '' }];
  const running = { ...view, steps, calls: { ...view.calls, [call_id]: step_id } };
  return setStep(running, step_id, 'running', attempt > 1 ? `attempt ${attempt}` : '');
}

function applyObservation(view: RunView, event: Extract<RunEvent, { readonly type: 'step_observed' }>): RunView {
  const { call_id, outcome, detail } = event;
  return outcome === 'ok'
    ? setStep(view, view.calls[call_id], 'observed')
    : setStep(view, view.calls[call_id], 'failed', detail === undefined ? outcome : `${outcome}: ${detail}`);
}

function setStep(view: RunView, id: string | undefined, state: StepState, detail = ''): RunView {
  if (id === undefined) return view;
  return { ...view, steps: view.steps.map((known) => (known.id === id ? { ...known, state, detail } : known)) };
}
