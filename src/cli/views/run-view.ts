import type { Plan, RunEvent } from '../../index.ts';

export type StepState = 'planned' | 'cleared' | 'waits' | 'runs' | 'observed' | 'committed' | 'failed' | 'refused';

export interface StepView {
  readonly id: string;
  readonly tool: string;
  readonly state: StepState;
  readonly detail: string;
}

/** A counted bound of a run and what has been used of it. */
export interface Gauge {
  readonly name: string;
  readonly used: number;
  readonly max: number;
}

/** A run as somebody watches it: what was asked, the plan with where each step stands, and what is left. */
export interface RunView {
  readonly goal: string;
  readonly startedAt: number;
  readonly now: number;
  readonly phase: string;
  readonly steps: readonly StepView[];
  readonly gauges: readonly Gauge[];
  /** Since when it waits for people, and how long it has: that is no time of the run. */
  readonly waitsSince: number | null;
  readonly waitedMs: number;
  readonly ended: string | null;
  /** Which step a call belongs to. */
  readonly calls: Readonly<Record<string, string>>;
}

export const NOTHING_YET: RunView = Object.freeze({
  goal: '',
  startedAt: 0,
  now: 0,
  phase: 'asked',
  steps: [],
  gauges: [],
  waitsSince: null,
  waitedMs: 0,
  ended: null,
  calls: {},
});

/** What one event changes about it. */
export function watched(view: RunView, event: RunEvent): RunView {
  const seen = timed({ ...view, now: event.at, phase: PHASES[event.type] ?? view.phase }, event);
  switch (event.type) {
    case 'goal_received':
      return { ...seen, goal: event.goal.statement, startedAt: event.at };
    case 'run_initialized':
      return { ...seen, gauges: gaugesOf(event.caps) };
    case 'plan_proposed':
      return planned(seen, event.proposal as Partial<Plan> | null);
    case 'plan_verified':
      return event.plan === undefined ? seen : planned(seen, event.plan);
    case 'step_cleared':
      return step(seen, event.step_id, 'cleared');
    case 'step_refused':
      return step(seen, event.step_id, 'refused', `${event.code} at ${event.layer}`);
    case 'step_attempted':
      return used(attempted(seen, event), 'tool calls', 1);
    case 'step_observed':
      return observed(seen, event);
    case 'step_verified':
      return event.ok ? seen : step(seen, seen.calls[event.call_id], 'failed', 'not verified');
    case 'step_committed':
      return used(step(seen, seen.calls[event.call_id], 'committed'), 'steps', 1);
    case 'gate_opened':
      return step(seen, event.step_id ?? undefined, 'waits', event.name);
    case 'run_terminated':
      return { ...seen, ended: `${event.code} (${event.reason})` };
    default:
      return seen;
  }
}

/** What the run is at, in a word, after these events. */
const PHASES: Readonly<Partial<Record<RunEvent['type'], string>>> = {
  goal_received: 'received',
  run_initialized: 'planning',
  plan_proposed: 'verifying the plan',
  plan_verified: 'working',
  gate_opened: 'waiting for a person',
  gate_decided: 'working',
  question_asked: 'waiting for an answer',
  run_escalated: 'handed over',
  run_paused: 'paused',
  run_resumed: 'working',
  run_judged: 'judged',
  run_terminated: 'ended',
};

const BEGINS_TO_WAIT: ReadonlySet<string> = new Set(['gate_opened', 'question_asked', 'run_escalated', 'run_paused']);

/** Whatever happens after a run began to wait ends that, but for what only asks for more. */
const STILL_WAITS: ReadonlySet<string> = new Set([...BEGINS_TO_WAIT, 'decision_refused']);

function timed(view: RunView, { type, at }: RunEvent): RunView {
  if (view.waitsSince === null) return BEGINS_TO_WAIT.has(type) ? { ...view, waitsSince: at } : view;
  if (STILL_WAITS.has(type)) return view;
  return { ...view, waitsSince: null, waitedMs: view.waitedMs + at - view.waitsSince };
}

type Caps = Extract<RunEvent, { readonly type: 'run_initialized' }>['caps'];

function gaugesOf(caps: Caps): readonly Gauge[] {
  return [
    { name: 'tool calls', used: 0, max: caps.tool_calls_max },
    { name: 'steps', used: 0, max: caps.steps_max },
    { name: 'tokens', used: 0, max: caps.input_tokens_max + caps.output_tokens_max },
    { name: 'seconds', used: 0, max: caps.wall_clock_seconds_max },
  ];
}

const used = (view: RunView, name: string, by: number): RunView => ({
  ...view,
  gauges: view.gauges.map((gauge) => (gauge.name === name ? { ...gauge, used: gauge.used + by } : gauge)),
});

function planned(view: RunView, plan: Partial<Plan> | null): RunView {
  if (!Array.isArray(plan?.steps)) return view;
  const before = new Map(view.steps.map((known) => [known.id, known]));
  const steps = plan.steps.map(
    ({ id, tool }) =>
      before.get(String(id)) ?? { id: String(id), tool: String(tool), state: 'planned' as const, detail: '' },
  );
  return { ...view, steps };
}

function attempted(
  view: RunView,
  { call_id, step_id, tool, attempt }: Extract<RunEvent, { readonly type: 'step_attempted' }>,
): RunView {
  const known = view.steps.some(({ id }) => id === step_id);
  const steps = known ? view.steps : [...view.steps, { id: step_id, tool, state: 'planned' as const, detail: '' }];
  const running = { ...view, steps, calls: { ...view.calls, [call_id]: step_id } };
  return step(running, step_id, 'runs', attempt > 1 ? `attempt ${attempt}` : '');
}

function observed(view: RunView, event: Extract<RunEvent, { readonly type: 'step_observed' }>): RunView {
  const { call_id, outcome, detail, spent } = event;
  const spend = used(view, 'tokens', spent.input_tokens + spent.output_tokens);
  return outcome === 'ok'
    ? step(spend, view.calls[call_id], 'observed')
    : step(spend, view.calls[call_id], 'failed', detail === undefined ? outcome : `${outcome}: ${detail}`);
}

function step(view: RunView, id: string | undefined, state: StepState, detail = ''): RunView {
  if (id === undefined) return view;
  return { ...view, steps: view.steps.map((known) => (known.id === id ? { ...known, state, detail } : known)) };
}
