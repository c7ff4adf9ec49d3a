import type { LabelFields } from '../model/record/run-label.ts';
import { DEPTH_MAX } from '../model/run/lane.ts';
import { type MeasuredRun, type MeasuredRuns, type MetricPart, quotient, shareOf, sumOf } from './measure.ts';
import type { Metric, ReportMetricId } from './metric.ts';
import { TRACE_FIELDS } from './trace-fields.ts';

/** The eighteen metrics of the bounded autonomy report. */
export const REPORT_METRICS: Readonly<Record<ReportMetricId, Metric>> = {
  task_success_rate: {
    title: 'Task success rate',
    unit: 'share',
    target: { at_least: 0.98 },
    numerator: 'tasks labelled as a success',
    denominator: 'tasks with a label of success or failure',
    collection: 'labels of recorded runs and of golden tasks',
    detects: 'tasks that the agent does not complete',
    owner: 'agent team',
    source: 'report',
    labelled: true,
    measure: ({ tasks }) => {
      const labelled = withLabel(tasks, 'success');
      const failed = labelled.filter(({ label }) => label.success === false);
      return [shareOf(labelled, ({ label }) => label?.success === true, { sampled: true, named: idsOf(failed) })];
    },
  },
  correct_termination: {
    title: 'Correct termination',
    unit: 'share',
    target: { at_least: 1 },
    numerator: 'tasks that ended with the expected terminal code',
    denominator: 'tasks with a label of the expected code',
    collection: 'terminal codes compared with labels',
    detects: 'runs that stop too early, too late or with the wrong code',
    owner: 'agent team',
    source: 'report',
    labelled: true,
    measure: ({ tasks }) => {
      const labelled = withLabel(tasks, 'expected_code');
      const wrong = labelled.filter(({ facts, label }) => facts.code !== label.expected_code);
      const named = wrong.map(({ facts, label }) => `${facts.run_id}: ${facts.code}, expected ${label.expected_code}`);
      return [quotient(labelled.length - wrong.length, labelled.length, { sampled: true, named })];
    },
  },
  trajectory_validity: {
    title: 'Trajectory validity',
    unit: 'share',
    target: { at_least: 1 },
    numerator: 'legal moves',
    denominator: 'moves on the workflow graph',
    collection: 'moves of each run replayed on its compiled graph',
    detects: 'illegal edges, skipped guards and graphs changed at run time',
    owner: 'platform team',
    source: 'report',
    measure: ({ all }) => {
      const total = sumOf(all, ({ facts }) => facts.moves.total);
      const illegal = all.flatMap(({ facts }) => facts.moves.illegal.map((move) => `${facts.run_id}: ${move}`));
      return [quotient(total - illegal.length, total, { named: illegal })];
    },
  },
  trajectory_efficiency: {
    title: 'Trajectory efficiency',
    unit: 'ratio',
    target: { at_most: 1.25 },
    numerator: 'steps that the runs took',
    denominator: 'steps of their reference paths',
    collection: 'journals compared with labelled reference paths',
    detects: 'unneeded steps, repeated calls and too much reflection',
    owner: 'agent team',
    source: 'report',
    labelled: true,
    measure: ({ tasks }) => {
      const labelled = withLabel(tasks, 'reference_path');
      const reference = labelled.reduce((total, { label }) => total + label.reference_path.length, 0);
      return [quotient(sumOf(labelled, cyclesOf), reference)];
    },
  },
  escalation_accuracy: {
    title: 'Escalation accuracy',
    unit: 'share',
    target: { at_least: 0.95 },
    numerator: 'anomalies that were handed over to a person',
    denominator: 'precision: tasks that were handed over; recall: anomalies',
    collection: 'tasks labelled as anomaly or as ordinary, such as those of fault injection',
    detects: 'missed approvals, too much human review and unsafe autonomy',
    owner: 'risk and compliance',
    source: 'report',
    labelled: true,
    measure: ({ tasks }) => {
      const labelled = withLabel(tasks, 'anomaly');
      const handedOver = labelled.filter(({ facts }) => facts.escalated);
      const anomalies = labelled.filter(({ label }) => label.anomaly);
      const found = handedOver.filter(({ label }) => label.anomaly).length;
      const alarms = handedOver.filter(({ label }) => !label.anomaly);
      const missed = anomalies.filter(({ facts }) => !facts.escalated);
      return [
        quotient(found, handedOver.length, { name: 'precision', sampled: true, named: idsOf(alarms) }),
        quotient(found, anomalies.length, { name: 'recall', sampled: true, named: idsOf(missed) }),
      ];
    },
  },
  step_count: {
    title: 'Steps per task',
    unit: 'count',
    target: null,
    numerator: 'action cycles',
    denominator: 'tasks',
    collection: 'step counters of the budgets',
    detects: 'too much planning, repair or recursion',
    owner: 'agent team',
    source: 'report',
    measure: ({ tasks }) => [quotient(sumOf(tasks, cyclesOf), tasks.length)],
  },
  loop_depth: {
    title: 'Loop depth',
    unit: 'count',
    target: { at_most: DEPTH_MAX },
    numerator: 'greatest depth of lanes below a task, unless a label approves it',
    denominator: 'one',
    collection: 'parents and children in the journals',
    detects: 'tasks that split up without end',
    owner: 'platform team',
    source: 'report',
    measure: (runs) => [depthOf(runs)],
  },
  tool_call_count: {
    title: 'Tool calls per task',
    unit: 'count',
    target: null,
    numerator: 'calls that the gateway sent',
    denominator: 'tasks',
    collection: 'intents that the gateway recorded, never the words of a model',
    detects: 'too many calls, and paths that need no model',
    owner: 'agent team',
    source: 'report',
    measure: ({ tasks, all }) => [quotient(sumOf(all, dispatched), tasks.length)],
  },
  failed_tool_calls: {
    title: 'Failed tool calls',
    unit: 'share',
    target: null,
    numerator: 'calls that were sent and failed, timed out or were denied',
    denominator: 'calls that the gateway sent',
    collection: 'recorded answers of tools',
    detects: 'bad arguments, unavailable services and changed formats',
    owner: 'platform team',
    source: 'report',
    measure: ({ all }) => [quotient(sumOf(all, failed), sumOf(all, dispatched), { named: worst(all, failed) })],
  },
  retry_rate: {
    title: 'Retry rate',
    unit: 'share',
    target: { at_most: 0.05 },
    numerator: 'calls that repeat an earlier attempt',
    denominator: 'calls that the gateway sent',
    collection: 'intents that the gateway recorded',
    detects: 'retry storms and brittle tools',
    owner: 'platform team',
    source: 'report',
    measure: ({ all }) => [quotient(sumOf(all, retries), sumOf(all, dispatched), { named: worst(all, retries) })],
  },
  timeout_rate: {
    title: 'Timeout rate',
    unit: 'share',
    target: { at_most: 0.01 },
    numerator: 'tasks that ended TIMEOUT',
    denominator: 'tasks',
    collection: 'terminal codes',
    detects: 'missing capacity, slow services and limits that are too low',
    owner: 'operators',
    source: 'report',
    measure: ({ tasks }) => {
      const timedOut = tasks.filter(({ facts }) => facts.code === 'TIMEOUT');
      return [quotient(timedOut.length, tasks.length, { named: idsOf(timedOut) })];
    },
  },
  budget_adherence: {
    title: 'Budget adherence',
    unit: 'share',
    target: { at_least: 1 },
    numerator: 'tasks with no dimension above its cap',
    denominator: 'tasks',
    collection: 'final budgets compared with their caps',
    detects: 'overdrawn budgets',
    owner: 'platform team',
    source: 'report',
    measure: ({ tasks }) => {
      const over = tasks.filter(({ facts }) => facts.over_cap.length > 0);
      const named = over.map(({ facts }) => `${facts.run_id}: ${facts.over_cap.join(', ')}`);
      return [quotient(tasks.length - over.length, tasks.length, { named })];
    },
  },
  cost_per_success: {
    title: 'Cost per success',
    unit: 'usd',
    target: null,
    numerator: 'cost of all tasks, failed ones included',
    denominator: 'successful tasks, by label or else by terminal code',
    collection: 'metered cost of each run',
    detects: 'savings that failures and retries use up',
    owner: 'operators',
    source: 'report',
    measure: ({ tasks }) => {
      const successes = tasks.filter(({ facts, label }) => label?.success ?? facts.accepted);
      return [
        quotient(
          sumOf(tasks, ({ facts }) => facts.cost_usd),
          successes.length,
        ),
      ];
    },
  },
  grounding_rate: {
    title: 'Observation grounding rate',
    unit: 'share',
    target: { at_least: 1 },
    numerator: 'state updates that a validator had verified',
    denominator: 'state updates',
    collection: 'commits in the journals, each with its validator',
    detects: 'invented observations and assumed success of tools',
    owner: 'platform team',
    source: 'report',
    measure: ({ all }) => {
      const total = sumOf(all, ({ facts }) => facts.updates.total);
      const named = all.flatMap(({ facts }) => facts.updates.unverified.map((id) => `${facts.run_id}: ${id}`));
      return [quotient(total - named.length, total, { named })];
    },
  },
  memory_quality: {
    title: 'Memory write quality',
    unit: 'share',
    target: { at_least: 1 },
    numerator: 'written memories with a source',
    denominator: 'written memories',
    collection: 'rulings of the promotion gate and recorded writes',
    detects: 'poisoned memory and unsupported long-term facts',
    owner: 'risk and compliance',
    source: 'report',
    measure: ({ all }) => {
      const total = sumOf(all, ({ facts }) => facts.memory.written);
      const named = all.flatMap(({ facts }) => facts.memory.unsupported.map((id) => `${facts.run_id}: ${id}`));
      return [quotient(total - named.length, total, { named })];
    },
  },
  human_override_rate: {
    title: 'Human override rate',
    unit: 'share',
    target: null,
    numerator: 'rejections and edits at gates, and approvals that were taken back',
    denominator: 'decisions at gates',
    collection: 'recorded decisions and labels',
    detects: 'too much trust in the agent, or gates for trivial cases',
    owner: 'risk and compliance',
    source: 'report',
    measure: ({ all }) => {
      const overrides = sumOf(all, ({ facts, label }) => facts.decisions.overrides + (label?.overrides ?? 0));
      return [
        quotient(
          overrides,
          sumOf(all, ({ facts }) => facts.decisions.total),
        ),
      ];
    },
  },
  user_correction_rate: {
    title: 'User correction rate',
    unit: 'ratio',
    target: null,
    numerator: 'corrections by users',
    denominator: 'conversations: threads, and tasks without a thread',
    collection: 'labels of the runs of a conversation',
    detects: 'misunderstood intents and poor answers',
    owner: 'agent team',
    source: 'report',
    labelled: true,
    measure: ({ tasks }) => {
      const labelled = withLabel(tasks, 'corrections');
      const conversations = new Set(
        labelled.map(({ facts: { tenant, thread, run_id } }) => (thread === null ? run_id : `${tenant} ${thread}`)),
      );
      return [
        quotient(
          sumOf(labelled, ({ label }) => label?.corrections ?? 0),
          conversations.size,
        ),
      ];
    },
  },
  trace_completeness: {
    title: 'Trace completeness',
    unit: 'share',
    target: { at_least: 1 },
    numerator: 'fields of the trace that are present',
    denominator: 'the fourteen fields of each run',
    collection: 'traces derived from the journals',
    detects: 'runs that cannot be replayed, and missing evidence of incidents',
    owner: 'platform team',
    source: 'report',
    measure: ({ all }) => {
      const missing = all.flatMap(({ facts }) => facts.trace_missing.map((field) => `${facts.run_id}: ${field}`));
      const total = all.length * TRACE_FIELDS;
      return [quotient(total - missing.length, total, { named: missing })];
    },
  },
};

type Labelled<Field extends keyof LabelFields> = MeasuredRun & {
  readonly label: LabelFields & Required<Pick<LabelFields, Field>>;
};

const withLabel = <Field extends keyof LabelFields>(
  runs: readonly MeasuredRun[],
  field: Field,
): readonly Labelled<Field>[] =>
  runs.filter((run): run is Labelled<Field> => run.label !== null && run.label[field] !== undefined);

const idsOf = (runs: readonly MeasuredRun[]): readonly string[] => runs.map(({ facts }) => facts.run_id);

const cyclesOf = ({ facts }: MeasuredRun): number => facts.cycles;
const dispatched = ({ facts }: MeasuredRun): number => facts.calls.dispatched;
const failed = ({ facts }: MeasuredRun): number => facts.calls.failed;
const retries = ({ facts }: MeasuredRun): number => facts.calls.retries;

/** The runs with the highest counts, for example of failed calls. */
const worst = (runs: readonly MeasuredRun[], count: (run: MeasuredRun) => number): readonly string[] =>
  runs
    .filter((run) => count(run) > 0)
    .toSorted((a, b) => count(b) - count(a))
    .map((run) => `${run.facts.run_id}: ${count(run)}`);

/** The greatest depth. A depth that a label of the task approves counts as the usual maximum. */
function depthOf({ all }: MeasuredRuns): MetricPart {
  const byId = new Map(all.map((run) => [run.facts.run_id, run]));
  const approvedFor = ({ facts: { parent }, label }: MeasuredRun): number => {
    const above = parent === null ? undefined : byId.get(parent);
    return above === undefined ? (label?.depth_approved ?? 0) : approvedFor(above);
  };
  const depths = all.map((run) => {
    const { depth } = run.facts;
    return depth > DEPTH_MAX && depth <= approvedFor(run) ? DEPTH_MAX : depth;
  });
  const deepest = depths.reduce((most, depth) => Math.max(most, depth), 0);
  const deep = deepest > DEPTH_MAX ? all.filter((_, place) => depths[place] === deepest) : [];
  return quotient(deepest, all.length === 0 ? 0 : 1, { named: idsOf(deep) });
}
